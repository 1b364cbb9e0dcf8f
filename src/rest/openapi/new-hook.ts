import type { JsonSchema } from '../../schema/rules.js';
import { schemaRef } from './type-schema.js';

/*
 * The graph has one input for the authentication of a hook. On create there is no stored password that an absent one
 * could stand for, so there the document has components of its own, in which the password is required.
 */

const authentication = 'HookAuthenticationInput';
const basic = 'HookBasicInput';
const ofNewHook = (name: string) => `New${name}`;

const propertiesOf = (component: JsonSchema) => component['properties'] as Readonly<Record<string, JsonSchema>>;

/** The components of a new hook's authentication, from those of every hook's. */
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

/** The body of an operation that makes a hook: it refers to the components above. */
export const newHookBody = (body: JsonSchema): JsonSchema => {
  const { authentication: field, ...others } = propertiesOf(body);
  return { ...body, properties: { ...others, authentication: asOfNewHook(field!, authentication) } };
};

/** A schema that may be null, with its reference to a component turned to the one of a new hook. */
const asOfNewHook = (schema: JsonSchema, name: string): JsonSchema => ({
  ...schema,
  anyOf: [schemaRef(ofNewHook(name)), { type: 'null' }],
});
