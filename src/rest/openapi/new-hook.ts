import type { JsonSchema } from '#schema/rules.js';
import { schemaRef } from './type-schema.js';

/* The graph has one input type for the authentication of a hook, in which an absent password keeps the stored one. A
   new hook has no stored password, so the document has separate components for it that require the password. */

const authentication = 'HookAuthenticationInput';
const basic = 'HookBasicInput';
const ofNewHook = (name: string) => `New${name}`;

const propertiesOf = (component: JsonSchema) => component['properties'] as Readonly<Record<string, JsonSchema>>;

/** Derives the components of a new hook's authentication from those of an existing hook's. */
export const newHookComponents = (components: JsonSchema): JsonSchema => {
  const whole = components[authentication] as JsonSchema;
  const pair = components[basic] as JsonSchema;
  const { pass } = propertiesOf(pair);
  return {
    [ofNewHook(authentication)]: {
      ...whole,
      properties: { ...propertiesOf(whole), basic: asOfNewHook(propertiesOf(whole)['basic']!, basic) },
    },
    [ofNewHook(basic)]: {
      ...pair,
      required: [...(pair['required'] as string[]), 'pass'],
      properties: { ...propertiesOf(pair), pass: { ...pass, type: 'string', description: 'Password.' } },
    },
  };
};

/** Makes the body of an operation that creates a hook refer to these components. */
export const newHookBody = (body: JsonSchema): JsonSchema => {
  const { authentication: field, ...others } = propertiesOf(body);
  return { ...body, properties: { ...others, authentication: asOfNewHook(field!, authentication) } };
};

/** Points the reference of a nullable schema to the component of a new hook. */
const asOfNewHook = (schema: JsonSchema, name: string): JsonSchema => ({
  ...schema,
  anyOf: [schemaRef(ofNewHook(name)), { type: 'null' }],
});
