import type { Application } from '#entities/application.js';
import type { QueryParameters } from '#http/query-string.js';
import type { Search } from '#records/record-index.js';
import type { Context } from '#schema/context.js';
import type { Cursors } from './cursors.js';

/** One authenticated request of a search engine's client. */
export interface Call {
  readonly context: Context;
  readonly search: Search;
  readonly cursors: Cursors;
  readonly organizationId: string;
  readonly applicationId: string;
  /** Parameters of the path, named as in the table of routes. */
  readonly params: Readonly<Record<string, string>>;
  /** All parameters of the query string. Those that a route does not read have no effect. */
  readonly parameters: QueryParameters;
  /** The body; '' without one. */
  readonly text: string;
  /** Whether the caller accepts JSON by name, or accepts no text. */
  readonly acceptsJson: boolean;
  /** Returns milliseconds since 1970. */
  readonly clock: () => number;
  /**
   * Loads the application and checks that the caller may read it.
   * @throws ApiError 404
   */
  load(): Promise<Application>;
}

/** A response: an object for JSON, or text for a table of `_cat`. */
export interface HttpAnswer {
  /** 200 by default. */
  readonly status?: number;
  readonly body: object | string;
}

export type Handle = (call: Call) => Promise<HttpAnswer>;

/** Name that responses give the single index of an application. Requests may use any name. */
export const indexName = 'records';

/** Name of the single node that responses show. */
export const nodeName = 'ddp';

/** Returns the last value of a parameter, or undefined without one. */
export const parameter = ({ parameters }: Pick<Call, 'parameters'>, name: string): string | undefined =>
  parameters.get(name)?.at(-1);

/** Whether a parameter is set: without a value or as `true`, as the engines read it. */
export const isSet = (call: Pick<Call, 'parameters'>, name: string): boolean => {
  const value = parameter(call, name);
  return value === '' || value === 'true';
};

/** Returns the items of a comma-separated parameter, or undefined without one. */
export const listParameter = (call: Pick<Call, 'parameters'>, name: string): string[] | undefined =>
  parameter(call, name)
    ?.split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
