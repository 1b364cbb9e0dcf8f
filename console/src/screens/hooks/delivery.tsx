import { useLocation, useRoute } from 'preact-iso';
import { DeliveryDocument, type DeliveryQuery, RedeliverOneDocument } from '../../api/documents.js';
import { type Answered, ask } from '../../api/graph.js';
import { mayWrite, organizationId } from '../../api/session.js';
import { useQuery } from '../../api/use-query.js';
import { Action } from '../../components/action.js';
import { CopyButton, CopyText } from '../../components/copy.js';
import { Facts, Page, Section } from '../../components/page.js';
import { Empty, headingWithout, Loading } from '../../components/state.js';
import { TableFrame } from '../../components/table-frame.js';
import { quoted } from '../../format/curl.js';
import { formatTime, secondsOf, zone } from '../../format/time.js';
import { shown } from '../../format/value.js';
import { millis } from './hook-state.js';
import { Outcome } from './outcome.js';

type Delivery = NonNullable<DeliveryQuery['applicationHookDelivery']>;

/**
 * The screen of one delivery: the request, the response and every attempt. Until the delivery ends, it reloads each
 * second, and less often while the next attempt is far off.
 */
export function DeliveryScreen() {
  const { params } = useRoute();
  const names = {
    organizationId: organizationId.value,
    applicationId: params['applicationId'] ?? '',
    applicationHookId: params['hookId'] ?? '',
    deliveryId: params['deliveryId'] ?? '',
  };
  const delivery = useQuery(
    DeliveryDocument,
    { ...names, stored: storedAt(names.deliveryId) },
    { every: ({ applicationHookDelivery }) => pauseOf(applicationHookDelivery) },
  );
  const found = delivery.data?.applicationHookDelivery;
  return (
    <Page
      title={headingWithout(delivery, 'Delivery')}
      actions={
        found !== undefined && (
          <>
            <Neighbours of={delivery.data!} />
            {mayWrite.value && (
              <Action
                label="Redeliver"
                title="Redeliver this one"
                action="Redeliver"
                primary
                submit={async () => {
                  await ask(RedeliverOneDocument, names);
                  delivery.reload();
                }}
              >
                <p>1 delivery is sent again, with the same identifier and a full retry schedule.</p>
              </Action>
            )}
          </>
        )
      }
    >
      <Loading of={delivery} rows={20}>
        {({ applicationHookDelivery }) => <Shown of={applicationHookDelivery} />}
      </Loading>
    </Page>
  );
}

/** Seconds between two requests for a delivery, at least and at most. */
const pauses = { least: 1, most: 15 } as const;

/** Returns the time until a delivery is requested again, in milliseconds; undefined when it is not tried again. */
const pauseOf = (delivery: Delivery): number | undefined => {
  const { successful, attemptsMade, maxNumberAttempts } = delivery;
  if (successful || attemptsMade >= maxNumberAttempts) return undefined;
  const { due = 0, until = 0 } = nextCall(delivery) ?? {};
  const left = Math.ceil(Math.max(due, until) - Date.now() / 1000);
  return 1000 * Math.min(pauses.most, Math.max(pauses.least, left));
};

/** Returns when a delivery was stored, in Unix seconds: its identifier (UUIDv7) begins with the milliseconds. */
const storedAt = (id: string): number => (Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16) || 0) / 1000;

/** Links to the deliveries of the hook before and after this one, in the order of the list: the newest first. */
const Neighbours = ({ of }: { of: Answered<DeliveryQuery> }) => {
  const { path } = useLocation();
  const { id } = of.applicationHookDelivery;
  const after = ({ items }: { items: readonly { id: string }[] }) =>
    items[items.findIndex((one) => one.id === id) + 1]?.id;
  const to = (next: string) => path.replace(/[^/]+$/, next);
  const [newer, older] = [after(of.newer), after(of.older)];
  return (
    <nav class="actions" aria-label="Deliveries of the hook">
      {newer !== undefined && (
        <a href={to(newer)} rel="prev" title="The delivery stored after this one">
          Previous
        </a>
      )}
      {older !== undefined && (
        <a href={to(older)} rel="next" title="The delivery stored before this one">
          Next
        </a>
      )}
    </nav>
  );
};

/**
 * Returns when a delivery is tried again, in Unix seconds: the time of the retry schedule (`due`) and, where the hook's
 * circuit is open for longer, the time at which it lets calls through (`until`).
 */
function nextCall({ nextAttemptAt, hook }: Delivery): { due: number; until?: number } | undefined {
  if (nextAttemptAt === null) return undefined;
  const due = secondsOf(nextAttemptAt);
  const { circuit, circuitUntil } = hook?.settings ?? {};
  const until = circuit === 'open' && circuitUntil != null ? secondsOf(circuitUntil) : undefined;
  return until === undefined || until < due ? { due } : { due, until };
}

/** Says when a delivery is tried again; null without a next attempt. */
function nextAttempt(delivery: Delivery): string | null {
  const next = nextCall(delivery);
  if (next === undefined) return null;
  if (next.until === undefined) return `${formatTime(next.due)} (${zone.value})`;
  return `not before ${formatTime(next.until)} (${zone.value}): the circuit of the hook is open`;
}

const Shown = ({ of }: { of: Delivery }) => (
  <>
    <Facts
      of={[
        ['Outcome', <Outcome of={of} />],
        ['Identifier', <CopyText text={of.id} what="the identifier" />],
        ['Hook', of.hook && <a href={`/console/hooks/${of.application.id}/${of.hook.id}`}>{of.hook.url}</a>],
        ['Device', of.device && <a href={`/console/devices/${of.device.id}`}>{of.device.name ?? of.device.serial}</a>],
        ['Stored', formatTime(secondsOf(of.createdAt))],
        ['Last changed', formatTime(secondsOf(of.updatedAt))],
        ['Attempts', `${of.attemptsMade} of ${of.maxNumberAttempts}`],
        ['Next attempt', of.nextAttemptAt !== null && <span class="sentence">{nextAttempt(of)}</span>],
        [
          'Fault',
          of.error && (
            <span class="sentence" title={of.error.code}>
              {of.error.message}
            </span>
          ),
        ],
      ]}
    />
    <Attempts of={of} />
    <Section
      title="Request"
      actions={of.request !== null && <CopyButton label="Copy as curl" text={curlOf(of.request)} />}
    >
      {of.request === null ? (
        <Empty title="Nothing has been sent yet" />
      ) : (
        <>
          <p>
            <code>
              {of.request.method} {shown(of.request.uri['href'] ?? '')}
            </code>
          </p>
          <Headers of={of.request.headers} />
          <Body of={of.request.payload} label="Body of the request" />
        </>
      )}
    </Section>
    <Section title="Answer">
      {of.response === null ? (
        <Empty title="No answer" />
      ) : (
        <>
          <p>
            <code>{of.response.statusCode}</code>
          </p>
          <Headers of={of.response.headers} />
          <Body of={of.response.body} label="Body of the answer" />
          {of.truncated === true && <p class="quiet">The answer was longer; its beginning is kept.</p>}
        </>
      )}
    </Section>
  </>
);

/** Returns the call of curl that sends the same request. */
const curlOf = ({ method, uri, headers, payload }: NonNullable<Delivery['request']>): string => {
  const body =
    payload == null || payload === '' ? undefined : typeof payload === 'string' ? payload : JSON.stringify(payload);
  return [
    `curl -X ${method} ${quoted(shown(uri['href'] ?? ''))}`,
    ...Object.entries(headers)
      .filter(([name]) => !/^(content-length|host|connection)$/i.test(name))
      .map(([name, value]) => `-H ${quoted(`${name}: ${String(value)}`)}`),
    ...(body === undefined ? [] : [`--data-raw ${quoted(body)}`]),
  ].join(' \\\n  ');
};

const Attempts = ({ of: { attempts } }: { of: Delivery }) => (
  <Section title="Attempts">
    {attempts.length === 0 ? (
      <Empty title="No attempt yet" />
    ) : (
      <TableFrame label="Attempts">
        <table aria-label="Attempts">
          <thead>
            <tr>
              <th>At</th>
              <th>Answer</th>
              <th class="number">Connect</th>
              <th class="number">Wait</th>
              <th class="number">Read</th>
              <th class="number">Total</th>
            </tr>
          </thead>
          <tbody>
            {attempts.map(({ at, statusCode, error, duration }) => (
              <tr key={at}>
                <td class="nowrap">{formatTime(secondsOf(at))}</td>
                <td>{error === null ? statusCode : <span title={error.code}>{error.message}</span>}</td>
                <td class="number">{millis(duration.connect)}</td>
                <td class="number">{millis(duration.wait)}</td>
                <td class="number">{millis(duration.read)}</td>
                <td class="number">{millis(duration.total)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
    )}
  </Section>
);

const Headers = ({ of }: { of: Record<string, unknown> }) => (
  <details>
    <summary>Headers</summary>
    <Facts of={Object.entries(of).map(([name, value]) => [name, <code>{String(value)}</code>])} />
  </details>
);

const Body = ({ of, label }: { of: unknown; label: string }) =>
  of == null || of === '' ? (
    <p class="quiet">Without a body.</p>
  ) : (
    <pre class="body" tabIndex={0} role="region" aria-label={label}>
      <code>{typeof of === 'string' ? of : JSON.stringify(of, undefined, 2)}</code>
    </pre>
  );
