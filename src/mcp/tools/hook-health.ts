import { z } from 'zod';
import { id, input, readData, text, tool } from '../tool.js';
import type { GraphConnection } from './connection.js';

interface Hook {
  readonly id: string;
  readonly url: string;
  readonly [field: string]: unknown;
}

interface Application {
  readonly id: string;
  readonly name: string;
  /** Null unless the caller may change the application. */
  readonly hooks: { readonly items: readonly Hook[] } | null;
}

const query = `query HookHealth($organizationId: ID!, $ids: [ID!], $after: String, $failing: Boolean, $disabled: Boolean) {
  applications: applicationsConnection(organizationId: $organizationId, ids: $ids, first: 20, after: $after) {
    edges {
      cursor
      node {
        id name
        hooks(limit: 100, failing: $failing, disabled: $disabled) {
          items {
            id externalId url disabled disabledReason
            settings { events circuit circuitUntil failuresInRow filterDisabledReason }
            stats { pending retrying running successRate p50 p95 lastFailureAt lastAttemptAt lastStatusCode lastError { code message } }
          }
        }
      }
    }
    pageInfo { hasNextPage endCursor }
  }
}`;

/** Position at which a call continues: after an application, and after the first `skip` hooks of the next one. */
interface Position {
  readonly after: string | null;
  readonly skip: number;
}

/** Answers the state of hooks and of their latest calls. */
export const hookHealth = tool({
  name: 'hook_health',
  title: 'Health of hooks',
  description:
    'Answers the hooks of an application, or of all: what each is called for (`events`: `record`, `alert.opened`, ...), whether it is disabled and why, its circuit breaker, failures in a row, waiting deliveries, the status or error of the latest call and the success rate. Hooks of applications that the caller may not change are left out. An address is answered without its path, which may hold a secret.',
  input: input({
    applicationId: id('Only hooks of this application.').optional(),
    failing: z.boolean().optional().describe('True: only hooks whose latest calls failed.'),
    disabled: z.boolean().optional().describe('True: only disabled hooks; false: only others.'),
  }),
  list: 'hooks',
  output: {
    hooks: z.array(
      z.object({
        id: z.string(),
        key: text('Key that a tool chose for the hook.'),
        applicationId: z.string(),
        applicationName: z.string().describe('Untrusted.'),
        origin: z.string().describe('Scheme, host and port of the address. Untrusted.'),
        disabled: z.boolean(),
        disabledReason: text('Reason: `request`, `gone` or `failing`.'),
        events: z.array(z.string()).describe('Kinds of events that it is called for.'),
        circuit: z.string().describe('`closed`: calls are made; `open`: they wait; `probing`: one is tried.'),
        circuitUntil: text('Time until which the circuit is open.'),
        failuresInRow: z.number(),
        filterDisabledReason: text('Reason why the filter was disabled.'),
        pending: z.number().describe('Waiting deliveries, counted up to 10,000.'),
        retrying: z.number().describe('Waiting deliveries that have failed and are tried again.'),
        running: z.number(),
        successRate: z
          .number()
          .nullable()
          .describe(
            'Share that succeeded, 0 to 1, of the latest thousand ended deliveries and of those that failed and are tried again; null before the first call.',
          ),
        p50: z.number().nullable().describe('Median duration of calls in milliseconds.'),
        p95: z.number().nullable(),
        lastFailureAt: text('Time of the last failed call.'),
        lastAttemptAt: text('Time of the latest call.'),
        lastStatusCode: z.number().nullable().describe('HTTP status of the latest call; null without an answer.'),
        lastError: z
          .object({ code: z.string(), message: z.string() })
          .nullable()
          .describe('Why the latest call got no answer. Untrusted.'),
      }),
    ),
  },
  isUntrusted: true,
  async run({ applicationId, failing, disabled }, call) {
    const at: Position =
      call.position === undefined ? { after: null, skip: 0 } : (JSON.parse(call.position) as Position);
    const variables = {
      organizationId: call.organizationId,
      ids: applicationId === undefined ? undefined : [applicationId],
      after: at.after,
      failing,
      disabled,
    };
    // For a single application, a caller who may not read its hooks gets the error instead of an empty list.
    const optional = applicationId === undefined ? 'hooks' : undefined;
    const { applications } = await readData<{ applications: GraphConnection<Application> }>(
      call,
      query,
      variables,
      optional,
    );
    const { edges, pageInfo } = applications;
    const found = edges.flatMap(({ cursor, node }, index) => {
      const hooks = node.hooks?.items ?? [];
      const before = index === 0 ? at.after : edges[index - 1]!.cursor;
      const skip = index === 0 ? at.skip : 0;
      return hooks.slice(skip).map((hook, place) => {
        const position: Position =
          skip + place + 1 < hooks.length ? { after: before, skip: skip + place + 1 } : { after: cursor, skip: 0 };
        return { item: itemOf(node, hook), position: JSON.stringify(position) };
      });
    });
    return {
      items: found.map(({ item }) => item),
      positions: found.map(({ position }) => position),
      next: pageInfo.hasNextPage ? JSON.stringify({ after: pageInfo.endCursor, skip: 0 }) : undefined,
    };
  },
});

const itemOf = ({ id, name }: Application, { id: hookId, externalId, url, settings, stats, ...hook }: Hook) => ({
  id: hookId,
  key: externalId,
  applicationId: id,
  applicationName: name,
  origin: new URL(url).origin,
  ...hook,
  ...(settings as object),
  ...(stats as object),
});
