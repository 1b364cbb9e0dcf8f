import { GraphQLDateTimeISO, GraphQLJSONObject } from 'graphql-scalars';
import { Field, Float, Int, ObjectType, registerEnumType } from 'type-graphql';
import type { PlainJson } from '#json/json.js';
import { RestScalar } from './columns.js';
import { FilterDisabledReason, HookDisabledReason } from './text-enums.js';

/** State of a hook's circuit breaker. */
export enum CircuitState {
  /** Calls are made. */
  closed = 'closed',
  /** No calls are made until a time. */
  open = 'open',
  /** One call is made as a probe. */
  probing = 'probing',
}

registerEnumType(CircuitState, { name: 'CircuitState', description: "State of a hook's circuit breaker." });

@ObjectType({
  description: 'Filter of the records that a hook is called with. A record must meet all given conditions.',
})
export class HookFilter {
  @Field(() => [String], { nullable: true, description: 'Products: the record must have one of them.' }) products?:
    | string[]
    | null;
  @Field(() => [String], { nullable: true, description: 'Tags: the device must have at least one of them.' }) tags?:
    | string[]
    | null;
  @Field(() => GraphQLJSONObject, { nullable: true, description: 'A search query that the record must match.' })
  query?: {
    [key: string]: PlainJson;
  } | null;
}

@ObjectType({ description: 'The settings of a hook and the state of its calls.' })
export class HookSettings {
  @Field(() => Int, { description: 'Maximum number of concurrent calls, 1 to 64, over all processes together.' })
  concurrency!: number;
  @Field(() => Float, { nullable: true, description: 'Maximum number of calls per second.' }) maxPerSecond?:
    | number
    | null;
  @Field(() => Boolean, {
    description: "Whether a device's records are delivered in the order of storing, one at a time.",
  })
  ordered!: boolean;
  @Field(() => [String], {
    description:
      'Kinds of events that the hook is called for: `record`, `alert.opened`, `alert.closed`, `device.registered`, `device.deleted`, `hook.disabled`, `command.updated`, `state.diverged`.',
  })
  events!: string[];
  @Field(() => HookFilter, {
    nullable: true,
    description: 'Filter of the records that the hook is called with; by default all.',
  })
  filter?: HookFilter | null;
  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description:
      "Time at which the filter's query was disabled. Since then the hook also gets the records that the query would have excluded.",
  })
  filterDisabledAt?: string | null;
  @RestScalar('String')
  @Field(() => FilterDisabledReason, {
    nullable: true,
    description: 'Reason why the filter was disabled: `timeout` (it kept timing out).',
  })
  filterDisabledReason?: string | null;
  @Field(() => Boolean, { description: 'Whether calls are signed.' }) signed!: boolean;
  @Field(() => Boolean, {
    description: "Whether calls omit `basic`, because the hook's header is `Authorization` as well and replaces it.",
  })
  basicReplacedByHeader!: boolean;
  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'Time until which the previous signing secret signs as well.',
  })
  previousSecretUntil?: string | null;
  @Field(() => CircuitState, { description: "State of the hook's circuit breaker." }) circuit!: CircuitState;
  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'Time until which the circuit is open.' })
  circuitUntil?: string | null;
  @Field(() => Int, { description: 'Number of failed calls since the last successful one.' }) failuresInRow!: number;
  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'Time at which the hook was disabled.' })
  disabledAt?: string | null;
  @RestScalar('String')
  @Field(() => HookDisabledReason, {
    nullable: true,
    description: 'Reason why the hook was disabled: `request`, `gone` (it answered 410) or `failing`.',
  })
  disabledReason?: string | null;
}

@ObjectType({ description: 'A signing secret. It is shown only here.' })
export class HookSigningSecret {
  @Field(() => String, { description: 'The secret, in the format of Standard Webhooks (`whsec_...`).' })
  signingSecret!: string;
  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'Time until which the previous secret signs as well.',
  })
  previousSecretUntil?: string | null;
}
