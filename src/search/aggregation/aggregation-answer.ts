/** Property of a bucket that holds the text of its key as pipelines name it. Answers do not show it. */
export const hiddenKey: unique symbol = Symbol('key');

/** Property of a bucket with the parts of its key, unformatted, by which pipelines sort it. */
export const hiddenParts: unique symbol = Symbol('parts');

/** Property of an answer with the engines' class of it, which errors of pipelines name. */
export const hiddenClass: unique symbol = Symbol('class');

/** The answer of one aggregation in the engines' format. */
export type Answer = Record<string, unknown> & {
  [hiddenKey]?: string;
  [hiddenClass]?: string;
  [hiddenParts]?: readonly unknown[];
};
