import { GraphQLDateTimeISO, GraphQLJSONObject } from 'graphql-scalars';
import { Field, Float, Int, ObjectType, registerEnumType } from 'type-graphql';
import type { PlainJson } from '../json.js';
import { RestScalar } from './columns.js';
import { FilterDisabledReason, HookDisabledReason } from './words.js';

/** State of a hook's circuit breaker. */
export enum CircuitState {
  /** Calls are made. */
  closed = 'closed',
  /** No calls are made until a time. */
  open = 'open',
  /** One call is made as a probe. */
  probing = 'probing',
}

registerEnumType(CircuitState, { name: 'CircuitState', description: "Where a hook's circuit stands." });

/** A filter of the records that a hook is called with. A record must meet all given conditions. */
@ObjectType({ description: 'Which records a hook is called with; a record has to pass all that is given.' })
export class HookFilter {
  @Field(() => [String], { nullable: true, description: 'Products: one of these.' }) products?: string[] | null;
  @Field(() => [String], { nullable: true, description: 'Tags of the device: one of these.' }) tags?: string[] | null;
  @Field(() => GraphQLJSONObject, { nullable: true, description: 'A query of the search.' }) query?: {
    [key: string]: PlainJson;
  } | null;
}

@ObjectType({ description: 'The settings of a hook and the state of its calls.' })
export class HookSettings {
  @Field(() => Int, { description: 'Calls at once, 1 to 64, over all processes together.' }) concurrency!: number;
  @Field(() => Float, { nullable: true, description: 'Calls a second, at most.' }) maxPerSecond?: number | null;
  @Field(() => Boolean, { description: "Whether a device's records go out in the order of storing, one at a time." })
  ordered!: boolean;
  @Field(() => [String], {
    description:
      'Kinds of events that it is called for: `record`, `alert.opened`, `alert.closed`, `device.registered`, `device.deleted`, `hook.disabled`.',
  })
  events!: string[];
  @Field(() => HookFilter, { nullable: true, description: 'Which records it is called with; all unless given.' })
  filter?: HookFilter | null;
  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description:
      'When the query of the filter was switched off; the hook gets the records that it would have held back.',
  })
  filterDisabledAt?: string | null;
  @RestScalar('String')
  @Field(() => FilterDisabledReason, {
    nullable: true,
    description: 'Why the filter was switched off: `timeout` (it kept running out of time).',
  })
  filterDisabledReason?: string | null;
  @Field(() => Boolean, { description: 'Whether calls are signed.' }) signed!: boolean;
  @Field(() => Boolean, {
    description: 'Whether calls leave `basic` out: the header of the hook is `Authorization` too, and replaces it.',
  })
  basicReplacedByHeader!: boolean;
  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'Until when the previous signing secret signs too.' })
  previousSecretUntil?: string | null;
  @Field(() => CircuitState, { description: 'Where its circuit stands.' }) circuit!: CircuitState;
  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'Until when its circuit is open.' })
  circuitUntil?: string | null;
  @Field(() => Int, { description: 'Calls that failed since the last that succeeded.' }) failuresInRow!: number;
  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'When it was switched off.' })
  disabledAt?: string | null;
  @RestScalar('String')
  @Field(() => HookDisabledReason, {
    nullable: true,
    description: 'Why the hook was switched off: `request`, `gone` (it answered 410) or `failing`.',
  })
  disabledReason?: string | null;
}

/** A signing secret, which is shown once. */
@ObjectType({ description: 'A signing secret. It is shown this once.' })
export class HookSigningSecret {
  @Field(() => String, { description: 'The secret, as Standard Webhooks writes it (`whsec_...`).' })
  signingSecret!: string;
  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'Until when the previous secret signs too.' })
  previousSecretUntil?: string | null;
}
