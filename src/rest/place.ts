import type { GraphQLArgument } from 'graphql';
import { pathArguments, type Route } from './routes.js';

/** Where the arguments of a route come from. Each has one place; what comes elsewhere is unknown there. */
export interface Places {
  path: readonly GraphQLArgument[];
  headers: readonly GraphQLArgument[];
  query: readonly GraphQLArgument[];
  /** Fields of the body, or the one argument that takes all of it. Empty where no body is asked for. */
  body: readonly GraphQLArgument[];
}

/** Gives each argument its place, by the route's path, options and verb. */
export const placesOf = (route: Route, args: readonly GraphQLArgument[]): Places => {
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
