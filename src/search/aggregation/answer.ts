/** Where a bucket has the text of its key that pipelines name it by, and that it does not show. */
export const hiddenKey: unique symbol = Symbol('key');

/** The answer of one aggregation, as the engines write it. */
export type Answer = Record<string, unknown> & { [hiddenKey]?: string };
