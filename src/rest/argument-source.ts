import type { GraphQLArgument } from 'graphql';
import { pathArguments, type Route } from './routes.js';

/** Where in a request the arguments of a route come from: each from one part of it, and unknown in the others. */
export interface ArgumentSources {
  path: readonly GraphQLArgument[];
  headers: readonly GraphQLArgument[];
  query: readonly GraphQLArgument[];
  /** Fields of the body, or the one argument that takes all of it. Empty where no body is asked for. */
  body: readonly GraphQLArgument[];
}

/** Tells for each argument the part of the request, by the route's path, options and verb. */
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
