import { errors, Serializer } from '@opensearch-project/opensearch';

/** A whole number with the fewest digits that one beyond 2^53 has. The engine writes no spaces, unlike PostgreSQL within a `src`. */
const large = /[:,[]-?(?:9\d{15}|\d{17,})[,\]}]/;

/** Reads whole numbers beyond 2^53 as BigInts, which the client's own way does many times slower. */
export class ExactSerializer extends Serializer {
  /** @throws DeserializationError, as the client expects it, where a text is no JSON */
  override deserialize(json: string): unknown {
    try {
      // To look at every number takes several times as long; many a fraction has as many digits.
      return large.test(json) ? JSON.parse(json, exactly) : JSON.parse(json);
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
