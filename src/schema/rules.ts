import { getMetadataStorage } from 'class-validator';
import type { ClassType } from 'type-graphql';

/** Keywords of JSON Schema (draft 2020-12). */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** The rules of one field as JSON Schema keywords, for the value and for each of its items. */
export interface Rules {
  value: JsonSchema;
  items: JsonSchema;
}

const keywords: Readonly<Record<string, (...constraints: never[]) => JsonSchema>> = {
  isLength: (minLength: number, maxLength?: number) => ({ minLength, ...(maxLength !== undefined && { maxLength }) }),
  minLength: (minLength: number) => ({ minLength }),
  maxLength: (maxLength: number) => ({ maxLength }),
  min: (minimum: number) => ({ minimum }),
  max: (maximum: number) => ({ maximum }),
  arrayMinSize: (minItems: number) => ({ minItems }),
  arrayMaxSize: (maxItems: number) => ({ maxItems }),
  arrayUnique: () => ({ uniqueItems: true }),
  isEmail: () => ({ format: 'email' }),
  isUrl: () => ({ format: 'uri' }),
  matches: (pattern: RegExp) => ({ pattern: patternOf(pattern) }),
};

/** Reads the rules from class-validator's decorators, including those of parent classes. */
export const rulesOf = (type: ClassType<object>, field: string): Rules => {
  const rules = getMetadataStorage()
    .getTargetValidationMetadatas(type, '', true, false)
    .filter(({ propertyName, name }) => propertyName === field && name !== undefined);
  const merge = (each: boolean): JsonSchema =>
    Object.assign(
      {},
      ...rules
        .filter((rule) => (rule.each ?? false) === each)
        .map(({ name, constraints }) => keywords[name!]?.(...((constraints ?? []) as never[])) ?? {}),
    ) as JsonSchema;
  return { value: merge(false), items: merge(true) };
};

/** Returns a pattern for JSON Schema, which has no flags: a case-insensitive pattern lists both cases in its ranges. */
const patternOf = ({ source, flags }: RegExp): string =>
  flags.includes('i') ? source.replaceAll(/([a-z])-([a-z])/g, (range) => `${range.toUpperCase()}${range}`) : source;
