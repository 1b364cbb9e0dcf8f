import { type GraphQLNamedOutputType, type GraphQLSchema, getNamedType, isObjectType } from 'graphql';
import { conflicts, refused } from './refusals.js';

/**
 * Adds statements that many descriptions of the graph share: the order of every page, and the codes with which each
 * mutation can be refused. Each statement stands in one table, so that the descriptions stay consistent.
 */
export function describePromises(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    for (const field of Object.values(type.getFields())) {
      const order = orderOf(`${type.name}.${field.name}`, getNamedType(field.type), field.description ?? '');
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

/** Returns the sentence on the order of a page; undefined where the description has one, and for other fields. */
const orderOf = (path: string, { name }: GraphQLNamedOutputType, description: string): string | undefined => {
  if (!name.endsWith('Page') || saysOrder.test(description)) return undefined;
  return linkedPages[path] ?? created;
};

/** Matches a description that says the order of a list. */
export const saysOrder = /\b(?:order|newest|oldest|ascending|latest first|as they were)\b/i;

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
