import { type GraphQLField, getNamedType, isObjectType } from 'graphql';
import type { Route } from './routes.js';

/**
 * Lists the fields that an update returns but cannot set. A body may contain them without effect, so that a client can
 * change a resource that it got and put it back (contract, section 6). Empty when the operation returns nothing.
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
