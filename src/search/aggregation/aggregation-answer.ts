/** Property of a bucket that holds the text of its key as pipelines name it. Answers do not show it. */
export const hiddenKey: unique symbol = Symbol('key');

/** Property of a bucket that holds the parts of its key, unformatted. Pipelines sort buckets by these parts. */
export const hiddenParts: unique symbol = Symbol('parts');

/** Property of an answer that holds the name of its class in the engines. Errors of pipelines name this class. */
export const hiddenClass: unique symbol = Symbol('class');

/** The answer of one aggregation in the engines' format. */
export type Answer = Record<string, unknown> & {
  [hiddenKey]?: string;
  [hiddenClass]?: string;
  [hiddenParts]?: readonly unknown[];
};
