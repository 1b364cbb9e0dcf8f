import type { Application } from '../entities/application.js';
import type { Search } from '../records/record-index.js';
import type { QueryParameters } from '../rest/query-string.js';
import type { Context } from '../schema/context.js';
import type { Cursors } from './cursors.js';

/** One request of an engine's client, after authentication. */
export interface Call {
  readonly context: Context;
  readonly search: Search;
  readonly cursors: Cursors;
  readonly organizationId: string;
  readonly applicationId: string;
  /** What the path names, by the names in the table of routes. */
  readonly params: Readonly<Record<string, string>>;
  /** All that came in the query string. What a route does not read is without effect. */
  readonly parameters: QueryParameters;
  /** The body; '' where none came. */
  readonly text: string;
  /** Whether the caller names JSON, or nothing that is text, as what it takes. */
  readonly acceptsJson: boolean;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Finds the application, which the caller may read. @throws ApiError NOT_FOUND */
  load(): Promise<Application>;
}

/** What is answered: an object as JSON, or text where a route of `_cat` gives a table. */
export interface HttpAnswer {
  /** 200 unless given. */
  readonly status?: number;
  readonly body: object | string;
}

/** Answers a call. */
export type Handle = (call: Call) => Promise<HttpAnswer>;

/** The name that answers give the one index that an application has; a request may name it anything. */
export const indexName = 'records';

/** The name of the one node that there seems to be. */
export const nodeName = 'ddp';

/** The last text of a parameter; undefined where it did not come. */
export const parameter = ({ parameters }: Pick<Call, 'parameters'>, name: string): string | undefined =>
  parameters.get(name)?.at(-1);

/** Whether a parameter is set: it came alone or as `true`, as the engines read it. */
export const isSet = (call: Pick<Call, 'parameters'>, name: string): boolean => {
  const value = parameter(call, name);
  return value === '' || value === 'true';
};

/** The items of a comma-separated parameter; undefined where it did not come. */
export const listOf = (call: Pick<Call, 'parameters'>, name: string): string[] | undefined =>
  parameter(call, name)
    ?.split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
