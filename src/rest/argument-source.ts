import type { GraphQLArgument } from 'graphql';
import { pathArguments, type Route } from './routes.js';

/**
 * The part of a request that each argument of a route comes from. An argument is accepted in that part only; the other
 * parts refuse it as unknown.
 */
export interface ArgumentSources {
  path: readonly GraphQLArgument[];
  headers: readonly GraphQLArgument[];
  query: readonly GraphQLArgument[];
  /** Fields of the body, or the one argument that takes the whole body. Empty when the route takes no body. */
  body: readonly GraphQLArgument[];
}

/** Assigns each argument to a part of the request, by the route's path, options and verb. */
export const argumentSourcesOf = (route: Route, args: readonly GraphQLArgument[]): ArgumentSources => {
  const { body = 'fields', headers = {}, verb } = route;
  const inPath = pathArguments(route);
  const others = args.filter(({ name }) => !inPath.includes(name) && headers[name] === undefined);
  const inBody = ({ name }: GraphQLArgument) => {
    if (typeof body === 'object') return name === body.argument;
    return body === 'located' || verb === 'POST' || verb === 'PUT';
  };
  return {
    path: args.filter(({ name }) => inPath.includes(name)),
    headers: args.filter(({ name }) => headers[name] !== undefined),
    query: others.filter((arg) => !inBody(arg)),
    body: others.filter(inBody),
  };
};
