import { useState } from 'preact/hooks';
import {
  CreateProvisioningTokenDocument,
  type ProductQuery,
  RevokeProvisioningTokenDocument,
} from '../../api/documents.js';
import { ask } from '../../api/graph.js';
import { mayOwn, organizationId } from '../../api/session.js';
import { useAddress } from '../../browser/address.js';
import { textOf } from '../../browser/form.js';
import { Action } from '../../components/action.js';
import { Field } from '../../components/dialog.js';
import { Section } from '../../components/page.js';
import { Empty } from '../../components/state.js';
import { type Column, Table } from '../../components/table.js';
import { lifeColumns, MadeToken, RevokeToken, type TokenLine } from '../../components/token.js';
import { callCommand } from '../../format/curl.js';

type Line = NonNullable<ProductQuery['provisioningTokens']>['items'][number];

/** The tokens with which a product's devices register themselves. Only owners see them. */
export function Provisioning({
  productId,
  tokens,
  reload,
}: {
  productId: string;
  tokens: readonly Line[];
  reload: () => void;
}) {
  const address = useAddress();
  const [made, setMade] = useState<string | undefined>();
  const product = { organizationId: organizationId.value, productId };
  const make = async (form: FormData) => {
    const { createProvisioningToken } = await ask(CreateProvisioningTokenDocument, {
      ...product,
      name: textOf(form, 'name') || null,
      deviceLimit: Number(textOf(form, 'deviceLimit')),
      expiresAt: endOfDay(textOf(form, 'lastDay')),
    });
    setMade(createProvisioningToken.token);
    reload();
  };
  const revokeOf = (token: TokenLine) => async () => {
    await ask(RevokeProvisioningTokenDocument, { ...product, provisioningTokenId: token.id });
    reload();
  };
  const columns: Column<Line>[] = [
    { title: 'Name', cell: ({ name }) => name },
    { title: 'Begins with', cell: ({ prefix }) => <code>{prefix}</code> },
    {
      title: 'Registered',
      number: true,
      cell: ({ deviceCount, deviceLimit }) => `${deviceCount.toLocaleString()} of ${deviceLimit.toLocaleString()}`,
    },
    ...lifeColumns.map(({ sort: _sort, ...column }) => column),
    ...(mayOwn.value
      ? [{ title: 'Change', cell: (token: Line) => <RevokeToken token={token} revoke={revokeOf(token)} /> }]
      : []),
  ];
  return (
    <Section
      title="Provisioning tokens"
      actions={
        mayOwn.value && (
          <Action label="Create a provisioning token" action="Create" submit={make}>
            <Field label="Name" hint="Purpose of the token.">
              <input name="name" maxLength={200} />
            </Field>
            <Field label="Devices" hint="Maximum number of devices.">
              <input name="deviceLimit" type="number" min={1} max={1_000_000} required />
            </Field>
            <Field label="Last day" hint="It ends with this day, in UTC.">
              <input name="lastDay" type="date" required />
            </Field>
          </Action>
        )
      }
    >
      {made !== undefined && (
        <MadeToken
          token={made}
          commands={{
            'Register a device with it; the answer has a token for the device': callCommand('provision/a0-01', {
              token: made,
              verb: 'POST',
            }),
          }}
        />
      )}
      {tokens.length === 0 ? (
        <Empty title="No provisioning token">
          <p>With one, devices of this product register themselves by their serial and get a token of their own.</p>
        </Empty>
      ) : (
        <Table label="Provisioning tokens" columns={columns} rows={tokens} address={address} />
      )}
    </Section>
  );
}

const endOfDay = (day: string) => `${day}T23:59:59.999Z`;
