import { useEffect } from 'preact/hooks';
import { FirstStepsDocument, type OverviewQuery } from '../../api/documents.js';
import { isOwner, mayWrite, organizationId, token } from '../../api/session.js';
import { useQuery } from '../../api/use-query.js';
import { Badge } from '../../components/badge.js';
import { Copyable } from '../../components/copy.js';
import { postCommand } from '../../format/curl.js';

type Product = NonNullable<OverviewQuery['products']>['items'][number];
type Device = NonNullable<OverviewQuery['devices']>['items'][number];

/**
 * The first three steps of an organization, each with a complete command to paste. The page reloads its state each
 * second. When the first record arrives, `heard` replaces this page by a live chart.
 */
export function FirstRun({ product, device, heard }: { product?: Product; device?: Device; heard: () => void }) {
  const now = useQuery(FirstStepsDocument, { organizationId: organizationId.value }, { every: 1000 });
  const newest = now.data?.devices.items[0];
  const has = newest !== undefined && newest.latest.length > 0;
  useEffect(() => {
    if (has) heard();
  }, [has, heard]);
  const made = now.data?.products.items[0] ?? product;
  const registered = newest ?? device;
  if (!isOwner.value || !mayWrite.value)
    return (
      <p>No record has come yet. This token may not create a product or a device: sign in as an owner to begin.</p>
    );
  return (
    <>
      <p>
        No record has come yet. Three steps, each a call to paste into a terminal; this page notices what you do.
        {token.value === undefined && (
          <>
            {' '}
            Set <code>TOKEN</code> there to <a href="/console/tokens">a token</a> first.
          </>
        )}
      </p>
      <p>
        Without a terminal: <a href="/console/products">create a product</a>,{' '}
        <a href="/console/devices">register a device</a>, and link it to an{' '}
        <a href="/console/applications">application</a>, which can have a dashboard.
      </p>
      <ol class="steps">
        <Step title="A product says what its devices measure" done={made?.name}>
          {productCall()}
        </Step>
        <Step title="A device has a serial number" done={registered && (registered.name ?? registered.serial)}>
          {made === undefined ? undefined : deviceCall(made)}
        </Step>
        <Step title="The device sends a record">
          {registered === undefined ? undefined : recordCall(registered, made)}
        </Step>
      </ol>
    </>
  );
}

/** A step: done, with a command to run, or waiting for the step before. */
const Step = ({
  title,
  done,
  children,
}: {
  title: string;
  done?: string | undefined;
  children: string | undefined;
}) => (
  <li>
    <h2>{title}</h2>
    {done !== undefined ? (
      <p>
        <Badge tone="good">done:</Badge> {done}
      </p>
    ) : children === undefined ? (
      <p class="quiet">After the step before.</p>
    ) : (
      <Copyable label={`Call: ${title}`} text={children} secret={token.value} />
    )}
  </li>
);

const call = (path: string, body: object): string => postCommand(path, body, token.value);

const productCall = () =>
  call('products', {
    name: 'Thermometer',
    version: '1.0',
    variables: [{ name: 'temperature', type: 'FLOAT32', unit: '°C' }],
  });

const deviceCall = ({ id }: Product) =>
  call('devices/c0-01', { name: 'First device', product: { id, organizationId: organizationId.value } });

/** Returns a command that posts a record with the product's first variable, in its type. */
const recordCall = ({ serial }: Pick<Device, 'serial'>, product: Product | undefined) => {
  const variable = product?.variables[0] ?? { name: 'temperature', type: 'FLOAT32' };
  const value = { BOOL: true, TXT: 'ok', FLOAT32: 21.5 }[variable.type as string] ?? 21;
  return call('records', { serial, data: { [variable.name]: value } });
};
