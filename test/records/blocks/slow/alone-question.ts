import { daySeconds } from '#common/time.js';
import { until } from '../../../support/until.js';
import type { AccountActor } from '../../../support/world.js';

/** Asks something over HTTP, and returns the answer. */
export type Question = () => Promise<unknown>;

interface Asked {
  organization: AccountActor;
  /** An organization that may not see the records. */
  other: AccountActor;
  applicationId: string;
  /** Identifiers by serial. */
  devices: Readonly<Record<string, string>>;
  /** Returns the start of a day before today, in Unix seconds. */
  ago(days: number): number;
  /** Identifiers of some records. */
  ids: readonly string[];
}

interface Job {
  state: string;
  total: number;
  done: number;
  changed: number;
}

const fields = 'id ts metadata data frame deviceId productId';

/** Returns questions whose answers depend on records of the last four days. */
export const questionsOf = ({
  organization,
  other,
  applicationId,
  devices,
  ago,
  ids,
}: Asked): Record<string, Question> => {
  const graph =
    (query: string, caller = organization): Question =>
    async () => {
      const { body } = await caller.graph(query);
      if (body.errors && caller === organization) throw new Error(`${JSON.stringify(body.errors)}: ${query}`);
      return body;
    };
  const serials = Object.keys(devices);
  const ofDevices = (selection: string) =>
    graph(
      `{ ${serials.map((serial, index) => `d${index}: node(id: "${devices[serial]}") { ... on Device { ${selection} } }`).join(' ')} }`,
    );
  const ofApplication = (selection: string) =>
    graph(`{ node(id: "${applicationId}") { ... on Application { ${selection} } } }`);
  const records = (args: string) => `records(${args}) { totalCount hasMore endCursor items { ${fields} } }`;
  /** Follows the cursors of a list. */
  const follow =
    (type: 'Device' | 'Application', id: string, args: string, pages: number): Question =>
    async () => {
      const found: unknown[] = [];
      let after: string | null = null;
      for (let page = 0; page < pages; page++) {
        const { body } = await organization.graph(
          `query ($after: String) { node(id: "${id}") { ... on ${type} { records(${args}, after: $after) { hasMore endCursor items { ${fields} } } } } }`,
          { after },
        );
        const list = body.data?.['node'].records as { endCursor: string; hasMore: boolean; items: unknown[] };
        found.push(list);
        if (!list.hasMore) break;
        after = list.endCursor;
      }
      return found;
    };
  const at = `/applications/${organization.id}/${applicationId}`;
  const preview =
    (when: object): Question =>
    async () => {
      const { body } = await organization.post<object>(`${at}/alert-rules/preview`, { kind: 'threshold', when });
      // The range ends now.
      return { ...body, from: undefined, to: undefined };
    };
  /** Returns the result of a job that delivers the records once more, to a hook that nobody answers. */
  const replay =
    (filter: object | null, from: number, to: number): Question =>
    async () => {
      const hook = await organization.make(`${at}/hooks`, { url: 'https://hook.invalid/' });
      if (filter) await organization.put(`${at}/hooks/${hook}/settings`, { filter });
      const { body } = await organization.post<{ id: string }>(`${at}/hooks/${hook}/replay`, { from, to });
      let job: Job | undefined;
      await until(async () => {
        job = (await organization.get<Job>(`/organizations/${organization.id}/jobs/${body.id}`)).body;
        return job.state === 'done' || job.state === 'failed';
      });
      await organization.delete(`${at}/hooks/${hook}`);
      const { state, total, done, changed } = job!;
      return { state, total, done, changed };
    };
  const whole = `from: ${ago(5)}, to: ${ago(0) + daySeconds}`;
  return {
    'records by identifier': graph(
      `{ ${ids.map((id, index) => `r${index}: node(id: "${id}") { ... on Record { ${fields} values { name } } }`).join(' ')} }`,
    ),
    'records by identifier of another organization': graph(
      `{ ${ids.map((id, index) => `r${index}: node(id: "${id}") { id }`).join(' ')} }`,
      other,
    ),
    'newest records of devices': ofDevices(records('limit: 12')),
    'oldest records of devices': ofDevices(records('limit: 12, sort: "ts"')),
    'records of devices on a later page': ofDevices(records('limit: 30, page: 4')),
    'oldest records of devices on a later page': ofDevices(records('limit: 40, page: 3, sort: "ts"')),
    'records of devices in a range': ofDevices(records(`limit: 50, from: ${ago(4) + 40_000}, to: ${ago(3) + 5000}`)),
    'records of devices before the first day': ofDevices(records(`limit: 5, to: ${ago(4) - 1}`)),
    'all records of devices, counted': ofDevices(records('limit: 1000')),
    'cursors of a device, newest first': follow('Device', devices['a1-01']!, 'limit: 333', 30),
    'cursors of a device, oldest first': follow('Device', devices['a1-02']!, 'limit: 33, sort: "ts"', 30),
    'cursors of an application, newest first': follow('Application', applicationId, 'limit: 500', 20),
    'cursors of an application, oldest first': follow(
      'Application',
      applicationId,
      `limit: 300, sort: "ts", ${whole}`,
      20,
    ),
    'records of an application': ofApplication(records('limit: 100, page: 3')),
    'records of an application in a range': ofApplication(
      records(`limit: 20, from: ${ago(3)}, to: ${ago(3) + 10_000}`),
    ),
    'time of the newest record': ofDevices('lastRecordAt'),
    'latest values': ofDevices('latest { name ts value type unit ahead }'),
    'latest values over REST': async () =>
      (await organization.get(`/applications/${organization.id}/${applicationId}/latest?limit=100`)).body,
    ...Object.fromEntries(
      [1, 2, 3, 4, 5].map((days): [string, Question] => [
        `devices silent for ${days} days`,
        graph(
          `{ devices(organizationId: "${organization.id}", filter: { silentSince: ${ago(days) + 40_000} }) { items { serial } } }`,
        ),
      ]),
    ),
    ...Object.fromEntries(
      (
        [
          ['avg', 'interval: 3600'],
          ['avg', 'points: 1000'],
          ['sum', 'interval: 86400'],
          ['min', 'interval: 7200'],
          ['max', 'interval: 3600'],
          ['count', 'interval: 7200'],
          ['first', 'interval: 3600'],
          ['last', 'points: 400'],
          ['lttb', 'points: 200'],
        ] as const
      ).map(([name, buckets]): [string, Question] => {
        // The last digits of sums depend on the order of the records.
        const large = name === 'avg' || name === 'sum' ? '' : '"n", ';
        const args = `${whole}, function: ${name}, digits: 12, ${buckets}, variables: [${large}"t", "on", "level", "free", "never", "none"]`;
        return [`${name} with ${buckets}`, ofDevices(`series(${args}) { name interval type ts values }`)];
      }),
    ),
    ...Object.fromEntries(
      [900, 7200].map((interval): [string, Question] => [
        `states by ${interval} seconds`,
        ofDevices(
          `states(${whole}, interval: ${interval}, variables: ["on", "label", "t", "level", "free", "late", "never"]) { name interval ts seconds values }`,
        ),
      ]),
    ),
    'preview of an alert rule': preview({ all: [{ variable: 't', operator: 'gt', value: 9.5 }] }),
    'preview of an alert rule with a query': preview({ query: { range: { 'data.t': { gt: 9.5 } } } }),
    'preview of an alert rule with a query for an undeclared value': preview({ query: { term: { 'data.level': 3 } } }),
    'replay to a hook': replay(null, ago(5), ago(0)),
    'replay to a hook with a query': replay({ query: { range: { 'data.level': { gte: 7 } } } }, ago(3), ago(2)),
  };
};
