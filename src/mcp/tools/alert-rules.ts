import { z } from 'zod';
import { id, input, readData, text, tool } from '../tool.js';
import type { GraphConnection } from './connection.js';

interface Rule {
  readonly recipientStates: unknown;
  readonly [field: string]: unknown;
}

interface Application {
  readonly id: string;
  readonly name: string;
  readonly alertRules: { readonly items: readonly Rule[] };
}

const condition = '{ all { variable operator value } any { variable operator value } query }';
const query = `query AlertRules($organizationId: ID!, $ids: [ID!], $after: String) {
  applications: applicationsConnection(organizationId: $organizationId, ids: $ids, first: 5, after: $after) {
    edges {
      cursor
      node {
        id name
        alertRules(limit: 100) {
          items {
            id name severity kind products tags when ${condition} until ${condition} for maxGap closeAfter silentFor variable unsettledFor stateName
            disabled disabledAt disabledReason undecided { since deviceCount } recipientStates { address state }
          }
        }
      }
    }
    pageInfo { hasNextPage endCursor }
  }
}`;

/** Position at which a call continues: after an application, and after the first `skip` rules of the next one. */
interface Position {
  readonly after: string | null;
  readonly skip: number;
}

const seconds = (description: string) => z.number().nullable().describe(`${description} Seconds.`);
const shownCondition = z.record(z.string(), z.unknown()).nullable();

/** Answers alert rules and their recipients. */
export const alertRules = tool({
  name: 'alert_rules',
  title: 'Alert rules',
  description:
    'Answers the alert rules of an application, or of all: the condition, silence or unreported desired state that opens an alert, for which products and tags, whether the rule is disabled and why, and the state of each recipient of e-mail. Use it to say why a device raised no alert. `open_alerts` answers the alerts themselves.',
  input: input({
    applicationId: id('Only rules of this application.').optional(),
    disabled: z.boolean().optional().describe('True: only disabled rules; false: only others.'),
  }),
  list: 'rules',
  output: {
    rules: z.array(
      z.object({
        id: z.string(),
        applicationId: z.string(),
        applicationName: z.string().describe('Untrusted.'),
        name: z.string().describe('Untrusted.'),
        severity: z.string(),
        kind: z
          .string()
          .describe(
            '`threshold`: compares values; `silence`: waits for records that do not arrive; `unsettled`: waits for devices to report their desired state.',
          ),
        products: z.array(z.string()).describe('Only devices of one of these products; empty: all.'),
        tags: z.array(z.string()).describe('Only devices with one of these tags; empty: all. Untrusted.'),
        when: shownCondition.describe('Condition that opens an alert, in a threshold rule.'),
        until: shownCondition.describe('Condition that closes it; null: the opposite of `when`.'),
        for: seconds('Time for which `when` must hold.'),
        maxGap: seconds('Gap between records after which `for` begins again.'),
        closeAfter: seconds('Time without a record after which an alert closes by itself.'),
        silentFor: seconds('Time without a record after which an alert opens.'),
        variable: text('Variable whose arrival ends a silence; null: any record does. Untrusted.'),
        unsettledFor: seconds('Time without a report of a desired value after which an alert opens.'),
        stateName: text('The one name of the state that an unsettled rule watches; null: every name. Untrusted.'),
        disabled: z.boolean(),
        disabledAt: text('Time at which it was disabled.'),
        disabledReason: text('`request`, or `timeout`: its query kept timing out.'),
        undecided: z
          .object({ since: z.string(), deviceCount: z.number() })
          .nullable()
          .describe(
            'Records that the rule has yet to decide, because its query took too long: since when, and of how many devices.',
          ),
        recipients: z
          .array(z.object({ address: z.string(), state: z.string() }))
          .describe('Addresses for e-mail; only those with the state `confirmed` get any.'),
      }),
    ),
  },
  isUntrusted: true,
  async run({ applicationId, disabled }, call) {
    const at: Position =
      call.position === undefined ? { after: null, skip: 0 } : (JSON.parse(call.position) as Position);
    const { applications } = await readData<{ applications: GraphConnection<Application> }>(call, query, {
      organizationId: call.organizationId,
      ids: applicationId === undefined ? undefined : [applicationId],
      after: at.after,
    });
    const { edges, pageInfo } = applications;
    const found = edges.flatMap(({ cursor, node }, index) => {
      const rules = node.alertRules.items.filter((rule) => disabled === undefined || rule['disabled'] === disabled);
      const before = index === 0 ? at.after : edges[index - 1]!.cursor;
      const skip = index === 0 ? at.skip : 0;
      return rules.slice(skip).map(({ recipientStates, ...rule }, place) => {
        const position: Position =
          skip + place + 1 < rules.length ? { after: before, skip: skip + place + 1 } : { after: cursor, skip: 0 };
        const item = { ...rule, applicationId: node.id, applicationName: node.name, recipients: recipientStates };
        return { item, position: JSON.stringify(position) };
      });
    });
    return {
      items: found.map(({ item }) => item),
      positions: found.map(({ position }) => position),
      next: pageInfo.hasNextPage ? JSON.stringify({ after: pageInfo.endCursor, skip: 0 }) : undefined,
    };
  },
});
