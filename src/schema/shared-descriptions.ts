import { type GraphQLField, type GraphQLSchema, getNamedType, isObjectType } from 'graphql';
import { isList } from './object-weight.js';
import { conflicts, refused } from './refusals.js';

/**
 * Adds statements that many descriptions of the graph share: the order of every list, and the codes with which each
 * mutation can be refused. Each statement stands in one table, so that the descriptions stay consistent.
 */
export function describePromises(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    for (const field of Object.values(type.getFields())) {
      const order = orderOf(`${type.name}.${field.name}`, field);
      if (order !== undefined) field.description = `${field.description ?? ''} ${order}`;
    }
  }
  const mutation = schema.getMutationType();
  for (const field of Object.values(mutation?.getFields() ?? {})) {
    field.description = `${field.description ?? ''} ${refusalsOf(field.name)}`;
  }
}

const created = 'Oldest first.';
const linked = 'In the order of linking.';

/** Pages whose items are shown in the order in which they were linked to the parent, not in that of their creation. */
const linkedPages: Readonly<Record<string, string>> = {
  'Application.devices': linked,
  'Application.grants': 'In the order of granting.',
  'Application.teams': 'In the order of granting.',
  'Device.applications': linked,
  'Organization.members': 'In the order of joining.',
  'Query.applicationDevices': linked,
  'Query.organizationMembers': 'In the order of joining.',
  'Query.teamApplications': 'In the order of granting.',
  'Query.teamMembers': 'In the order of joining.',
  'Record.applications': linked,
  'Team.applications': 'In the order of granting.',
  'Team.grants': 'In the order of granting.',
  'Team.members': 'In the order of joining.',
  'User.teams': 'In the order of joining.',
};

const set = 'In the order in which they were set.';
const noticed = 'In the order in which the service noticed the changes.';
const buckets = 'Oldest first.';
const sorted = 'Sorted by name.';
const variables = 'In the order of `variables`';

/** Lists that are not pages and whose own descriptions do not say the order. */
const lists: Readonly<Record<string, string>> = {
  'AlertCondition.all': set,
  'AlertCondition.any': set,
  'AlertRule.products': set,
  'AlertRule.recipients': set,
  'AlertRule.sites': set,
  'AlertRule.tags': set,
  'AlertRulePreview.episodes': 'Devices in the order of linking, episodes of a device oldest first.',
  'Application.activity': buckets,
  'Application.series': `${variables} for each device, devices in the order of linking.`,
  'AuditEvent.changes': 'In the order in which they were noted.',
  'CommandsUpdated.commands': noticed,
  'DecodedFrame.unusedMappings': "In the order of the product's variables.",
  'DeliveriesUpdated.deliveries': noticed,
  'Device.latest': sorted,
  'Device.series': `${variables}, or else of the product's.`,
  'Device.tags': 'In the order in which they were set or added.',
  'DeviceLatest.values': sorted,
  'DevicesChanged.devices': noticed,
  'EpisodesChanged.episodes': noticed,
  'FileImport.ignored': 'In the order of their first lines.',
  'Hook.activity': buckets,
  'HookFilter.products': set,
  'HookFilter.tags': set,
  'HookSettings.events': set,
  'IngestAnswer.results': 'In the order of the call.',
  'Invitation.teamIds': set,
  'JobsUpdated.jobs': noticed,
  'Organization.activity': buckets,
  'Product.variables': set,
  'PutError.errors': 'In the order in which they were found.',
  'PutItem.warnings': "In the order of the rule's fields.",
  'Record.values': sorted,
  'RecordActivity.rejections': 'Sorted by code.',
  'Series.values': 'In the order of `ts`.',
  'Variable.mappings': set,
};

/** Returns the sentence on the order of a list; undefined where the description has one, and for other fields. */
const orderOf = (path: string, { name, type, description }: GraphQLField<unknown, unknown>): string | undefined => {
  const page = getNamedType(type).name.endsWith('Page');
  if ((!page && !isList(type)) || saysOrder.test(description ?? '')) return undefined;
  if (page) return linkedPages[path] ?? created;
  return name === 'items' ? 'In the order of the page.' : lists[path];
};

/** Matches a description that says the order of a list. */
export const saysOrder =
  /\bin (?:the |this |the same )?order\b|\b(?:newest|oldest|earliest|latest) (?:event )?first\b|\bascending\b|\bsorted by\b|\bas they were\b/i;

/** Returns the sentence on the codes that a mutation is refused with. */
export const refusalsOf = (name: string): string => {
  const { forbidden, missing } = refused(name);
  const reasons = conflicts[name];
  const codes = [
    `\`FORBIDDEN\` (${forbidden})`,
    ...(missing === undefined ? [] : [`\`NOT_FOUND\` (${missing})`]),
    ...(reasons === undefined ? [] : [`\`CONFLICT\` (${reasons})`]),
    '`VALIDATION_FAILED` (arguments)',
  ];
  return `Refused with ${codes.join(', ')}.`;
};
