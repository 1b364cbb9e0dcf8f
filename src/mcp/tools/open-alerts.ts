import { z } from 'zod';
import { id, input, readData, type ToolCall, text, time, tool } from '../tool.js';
import { type GraphConnection, partOf } from './connection.js';

interface Recipient {
  readonly address: string;
  readonly state: string;
}

interface Episode {
  readonly applicationId: string;
  readonly closedAt: string | null;
  readonly openedBy: { readonly values: unknown } | null;
  readonly mails: readonly { readonly address: string; readonly of: string; readonly sentAt: string | null }[];
  /** Null unless the caller may change the application. */
  readonly calls: readonly object[] | null;
  readonly alertRule: { readonly disabled: boolean; readonly recipientStates: readonly Recipient[] } | null;
  readonly [field: string]: unknown;
}

const query = `query OpenAlerts($organizationId: ID!, $first: Int, $after: String, $state: EpisodeState, $applicationId: ID, $deviceId: ID, $severity: AlertSeverity, $acknowledged: Boolean, $from: UnixTime, $to: UnixTime) {
  organization(organizationId: $organizationId) {
    episodes: episodesConnection(first: $first, after: $after, state: $state, applicationId: $applicationId, deviceId: $deviceId, severity: $severity, acknowledged: $acknowledged, from: $from, to: $to) {
      edges {
        cursor
        node {
          id name severity openedAt closedAt closedReason acknowledgedAt applicationId deviceId
          openedBy { values } openedReason openedState { name desired version desiredAt }
          mails { address of sentAt }
          calls { hookId: applicationHookId of state attempts: attemptsMade at: createdAt }
          device { serial name }
          alertRule { disabled recipientStates { address state } }
        }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
}`;

const hooksQuery = `query AlertHooks($organizationId: ID!, $ids: [ID!]) {
  applications(organizationId: $organizationId, ids: $ids, limit: 100) {
    items { id hooks(limit: 100) { items { disabled settings { events } } } }
  }
}`;

/** Answers alerts, and who gets notices of them. */
export const openAlerts = tool({
  name: 'open_alerts',
  title: 'Alerts',
  description:
    'Answers the alerts (episodes of alert rules) that are open, or with `state` those that were: what opened each, when, whether somebody acknowledged it, and who was notified: `notified` has the mails and the calls of hooks about this alert. `wouldNotify` has who would be notified of a further alert of the rule: recipients whose state is `confirmed`, and the number of enabled hooks that are called for alerts. A device without an episode raised no alert, so nobody was notified.',
  input: input({
    state: z.enum(['open', 'closed', 'any']).default('open').describe('`any`: open and closed ones.'),
    applicationId: id('Only alerts of this application.').optional(),
    deviceId: id('Only alerts of this device.').optional(),
    severity: z.enum(['info', 'warning', 'critical']).optional(),
    acknowledged: z.boolean().optional().describe('True: only acknowledged ones; false: only others.'),
    from: time('Only alerts that opened at this time or later.').optional(),
    to: time('Only alerts that opened at this time or earlier.').optional(),
    limit: z.int().min(1).max(100).default(50).describe('Maximum number of alerts in the answer, 1 to 100.'),
  }),
  list: 'alerts',
  output: {
    alerts: z.array(
      z.object({
        id: z.string(),
        name: z.string().describe('Name of the rule. Untrusted.'),
        severity: z.string(),
        isOpen: z.boolean(),
        openedAt: z.string(),
        closedAt: text('Time of closing.'),
        closedReason: text('Reason of closing.'),
        acknowledgedAt: text('Time of the acknowledgement.'),
        applicationId: z.string(),
        deviceId: z.string(),
        deviceSerial: z.string().nullable(),
        deviceName: text('Untrusted.'),
        values: z.unknown().describe('Values that opened it; null for a silence. Untrusted.'),
        ruleDisabled: z.boolean().nullable().describe('Whether the rule is disabled now; null once it is deleted.'),
        openedReason: text('`quota`: records were refused, so the silent device may have sent some.'),
        openedState: z
          .array(z.object({ name: z.string(), desired: z.unknown(), version: z.number(), desiredAt: z.string() }))
          .nullable()
          .describe('Desired values that the device had not reported when it opened. Untrusted.'),
        notified: z.object({
          mails: z.array(
            z.object({
              address: z.string(),
              of: z.string().describe('`open`: of the opening; `closed`: of the closing.'),
              sentAt: text('Null while the mail waits.'),
            }),
          ),
          hooks: z
            .array(
              z.object({
                hookId: z.string(),
                of: z.string(),
                state: z.string().describe('`pending`, `succeeded` or `failed`.'),
                attempts: z.number(),
                at: z.string(),
              }),
            )
            .nullable()
            .describe('Calls; null if the caller may not see hooks of the application.'),
        }),
        wouldNotify: z.object({
          recipients: z.array(z.object({ address: z.string(), state: z.string() })),
          hooks: z.number().nullable().describe('Null if the caller may not see hooks of the application.'),
        }),
      }),
    ),
  },
  isUntrusted: true,
  async run({ limit, state, cursor: _, ...filter }, call) {
    const { organization } = await readData<{ organization: { episodes: GraphConnection<Episode> } }>(
      call,
      query,
      {
        organizationId: call.organizationId,
        first: limit,
        after: call.position,
        state: state === 'any' ? undefined : state,
        ...filter,
      },
      'calls',
    );
    const { episodes } = organization;
    const hooks = await hooksOf(call, [...new Set(episodes.edges.map(({ node }) => node.applicationId))]);
    return partOf(episodes, ({ openedBy, device, alertRule, mails, calls, ...episode }) => ({
      ...episode,
      isOpen: episode.closedAt === null,
      deviceSerial: (device as { serial: string } | null)?.serial ?? null,
      deviceName: (device as { name: string | null } | null)?.name ?? null,
      values: openedBy?.values ?? null,
      ruleDisabled: alertRule?.disabled ?? null,
      notified: { mails, hooks: calls },
      wouldNotify: { recipients: alertRule?.recipientStates ?? [], hooks: hooks.get(episode.applicationId) ?? null },
    }));
  },
});

interface AlertHooks {
  readonly applications: {
    readonly items: readonly {
      readonly id: string;
      readonly hooks: {
        readonly items: readonly { readonly disabled: boolean; readonly settings: { readonly events: string[] } }[];
      } | null;
    }[];
  };
}

/** Returns the number of enabled hooks that are called for alerts, by application. */
async function hooksOf(call: ToolCall, ids: readonly string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const { applications } = await readData<AlertHooks>(
    call,
    hooksQuery,
    { organizationId: call.organizationId, ids },
    'hooks',
  );
  return new Map(
    applications.items.flatMap(({ id, hooks }) =>
      hooks === null
        ? []
        : [[id, hooks.items.filter((hook) => !hook.disabled && hook.settings.events.includes('alert.opened')).length]],
    ),
  );
}
