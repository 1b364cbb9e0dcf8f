import { type GraphQLField, getNamedType, isObjectType } from 'graphql';
import type { Route } from './routes.js';

/**
 * Lists the fields that an update answers and cannot set. A body may hold them without effect, so that what was got can be
 * changed and put back (contract, section 6). Empty where nothing is answered.
 */
export const readOnlyFields = (
  { verb, status, path }: Route,
  { type, args }: GraphQLField<unknown, unknown>,
): readonly string[] => {
  const answered = getNamedType(type);
  if (verb !== 'PUT' || status === 204 || !isObjectType(answered)) return [];
  const settable = new Set(args.filter(({ name }) => !path.includes(`:${name}`)).map(({ name }) => name));
  return Object.keys(answered.getFields()).filter((name) => !settable.has(name));
};
