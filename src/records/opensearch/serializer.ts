import { errors, Serializer } from '@opensearch-project/opensearch';

/** Reads whole numbers beyond 2^53 as BigInts, which the client's own way does many times slower. */
export class ExactSerializer extends Serializer {
  /** @throws DeserializationError, as the client expects it, where a text is no JSON */
  override deserialize(json: string): unknown {
    try {
      // The fewest digits that a number needs for that; texts that have them only cost time.
      return /9\d{15}|\d{17}/.test(json) ? JSON.parse(json, exactly) : JSON.parse(json);
    } catch (error) {
      throw new errors.DeserializationError((error as SyntaxError).message, json);
    }
  }
}

/** The source text of a value is the third argument of a reviver (ECMAScript 2026). */
const exactly = (_key: string, value: unknown, context?: { source?: string }): unknown => {
  if (typeof value !== 'number' || Number.isSafeInteger(value) || context?.source === undefined) return value;
  return /^-?\d+$/.test(context.source) ? BigInt(context.source) : value;
};
