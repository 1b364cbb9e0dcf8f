import { errors, Serializer } from '@opensearch-project/opensearch';

/**
 * Matches a number with at least as many digits as a whole number beyond 2^53. The engine writes no spaces, unlike
 * PostgreSQL within a `src`.
 */
const large = /[:,[]-?(?:9\d{15}|\d{17,})[,\]}]/;

/** Reads whole numbers beyond 2^53 as BigInts. The client's own implementation is many times slower. */
export class ExactSerializer extends Serializer {
  /** @throws DeserializationError for invalid JSON, as the client expects */
  override deserialize(json: string): unknown {
    try {
      // Checking every number takes several times as long. Many fractions have as many digits, too.
      return large.test(json) ? JSON.parse(json, exactly) : JSON.parse(json);
    } catch (error) {
      throw new errors.DeserializationError((error as SyntaxError).message, json);
    }
  }
}

/** Reviver. The source text of a value is its third argument (ECMAScript 2026). */
const exactly = (_key: string, value: unknown, context?: { source?: string }): unknown => {
  if (typeof value !== 'number' || Number.isSafeInteger(value) || context?.source === undefined) return value;
  return /^-?\d+$/.test(context.source) ? BigInt(context.source) : value;
};
