/** Where a bucket has the text of its key that pipelines name it by, and that it does not show. */
export const hiddenKey: unique symbol = Symbol('key');

/** Where a bucket has the parts of its key that pipelines sort it by, before a format made texts of them. */
export const hiddenParts: unique symbol = Symbol('parts');

/** Where an answer has the engines' class of it, which errors of pipelines name. */
export const hiddenClass: unique symbol = Symbol('class');

/** The answer of one aggregation, as the engines write it. */
export type Answer = Record<string, unknown> & {
  [hiddenKey]?: string;
  [hiddenClass]?: string;
  [hiddenParts]?: readonly unknown[];
};
