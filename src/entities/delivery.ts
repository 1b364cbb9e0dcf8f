import { GraphQLDateTimeISO, GraphQLJSON, GraphQLJSONObject } from 'graphql-scalars';
import { Field, Float, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { Application, ApplicationReference } from './application.js';
import {
  createdAt,
  GraphOnly,
  identifier,
  NullIsValue,
  RestScalar,
  RestShape,
  reference,
  updatedAt,
} from './columns.js';
import { Node } from './node.js';
import { UnixTime } from './scalars.js';
import { DeliveryErrorCode } from './text-enums.js';

export enum Ended {
  succeeded = 'succeeded',
  failed = 'failed',
}

registerEnumType(Ended, { name: 'Ended', description: 'Final state of a delivery.' });

export enum DeliveryState {
  pending = 'pending',
  succeeded = 'succeeded',
  failed = 'failed',
}

registerEnumType(DeliveryState, {
  name: 'DeliveryState',
  description: 'State of a delivery.',
  valuesConfig: {
    pending: { description: 'The delivery waits for an attempt, or is being called.' },
    failed: { description: 'The last attempt failed. No further attempt follows.' },
  },
});

@ObjectType({ description: 'The latest request of a delivery. Values of authentication are shown as `[redacted]`.' })
export class DeliveryRequest {
  @Field(() => GraphQLJSON, { description: 'Body, which was fixed when the delivery was stored.' }) payload!: unknown;
  @Field(() => GraphQLJSONObject, { description: 'Headers of the request.' }) headers!: Record<string, string>;
  @Field(() => String, { description: 'HTTP method of the request.' }) method!: string;
  @Field(() => GraphQLJSONObject, {
    description:
      'The address in its parts: href, path, pathname, query, search, hash, hostname, port, host, auth, slashes, protocol.',
  })
  uri!: object;
}

@ObjectType({ description: 'The answer to the latest request of a delivery.' })
export class DeliveryResponse {
  @Field(() => Int, { description: 'HTTP status.' }) statusCode!: number;
  @Field(() => GraphQLJSONObject, { description: 'Headers of the answer.' }) headers!: Record<string, string>;
  @Field(() => GraphQLJSON, { nullable: true, description: 'Body: JSON if it is JSON, otherwise text.' })
  @NullIsValue()
  body!: unknown;
}

@ObjectType({ description: 'Reason why a call got no answer.' })
export class DeliveryError {
  @Field(() => DeliveryErrorCode, { description: 'BLOCKED, DNS, REFUSED, TLS, TIMEOUT, RESET or PROTOCOL.' })
  @RestScalar('String')
  code!: string;
  @Field(() => String, { description: 'Description of the error in a sentence.' }) message!: string;
}

@ObjectType({ description: 'Durations of the parts of a call, in milliseconds.' })
export class AttemptDuration {
  @Field(() => Float, { description: 'Time to look up the name, connect and agree on TLS.' }) connect!: number;
  @Field(() => Float, { description: 'Time from the connection to the head of the answer.' }) wait!: number;
  @Field(() => Float, { description: 'Time from the head of the answer to its end.' }) read!: number;
  @Field(() => Float, { description: 'Time of the whole call.' }) total!: number;
}

@ObjectType({ description: 'One attempt of a delivery.' })
export class DeliveryAttempt {
  @Field(() => GraphQLDateTimeISO, { description: 'Time of the attempt.' }) at!: string;
  @Field(() => AttemptDuration, { description: 'Durations of the parts of the call.' }) duration!: AttemptDuration;
  @Field(() => Int, { nullable: true, description: 'HTTP status of the answer.' }) statusCode?: number | null;
  @Field(() => DeliveryError, { nullable: true, description: 'Reason why the attempt got no answer.' })
  error?: DeliveryError | null;
}

/** A delivery, as lists show it (contract, section 5). */
@ObjectType({ description: 'A delivery, as lists show it.' })
export class DeliveryListItem {
  @identifier() id!: string;
  @reference('Hook that is called.') applicationHookId!: string;
  @Field(() => ID, { nullable: true, description: 'Device whose record was sent.' }) deviceId?: string | null;
  /** Record that was sent; none for a ping. */
  recordId?: string | null;
  @Field(() => Application, { description: 'Application of the hook.' })
  @RestShape(ApplicationReference)
  application!: ApplicationReference;
  @Field(() => UnixTime, { nullable: true, description: 'Time of the record: Unix time in seconds.' }) ts?:
    | number
    | null;
  @Field(() => Int, { description: 'Maximum number of attempts.' }) maxNumberAttempts!: number;
  @Field(() => Int, { description: 'Number of attempts so far.' }) attemptsMade!: number;
  @Field(() => Boolean, { description: 'Whether a 2xx answer arrived in time.' }) successful!: boolean;
  @createdAt() createdAt!: string;
  @updatedAt() updatedAt!: string;
  @Field(() => DeliveryRequest, { nullable: true, description: 'Latest request; null before the first attempt.' })
  request?: DeliveryRequest | null;
  @Field(() => DeliveryResponse, { nullable: true, description: 'Latest answer; null if there was none.' })
  response?: DeliveryResponse | null;
}

@ObjectType({ implements: Node, description: "A call to a hook, from the record's storing to its last attempt." })
export class Delivery extends DeliveryListItem {
  @Field(() => DeliveryError, { nullable: true, description: 'Reason why the latest attempt got no answer.' })
  error?: DeliveryError | null;
  @Field(() => Boolean, { nullable: true, description: 'Present if the answer was longer than the stored part.' })
  truncated?: boolean | null;
  @Field(() => [DeliveryAttempt], { description: 'All attempts, the earliest first.' })
  attempts!: DeliveryAttempt[];
  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description:
      'Time at which the next attempt is due; null if the delivery has ended or is being called. The attempt comes later when the hook is disabled, is at its limit, or has an open circuit.',
  })
  @GraphOnly()
  nextAttemptAt?: string | null;
}
