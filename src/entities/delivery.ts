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
import { DeliveryErrorCode } from './words.js';

export enum Ended {
  succeeded = 'succeeded',
  failed = 'failed',
}

registerEnumType(Ended, { name: 'Ended', description: 'How a delivery ended.' });

/** State of a delivery. */
export enum DeliveryState {
  pending = 'pending',
  succeeded = 'succeeded',
  failed = 'failed',
}

registerEnumType(DeliveryState, {
  name: 'DeliveryState',
  description: 'How a delivery stands.',
  valuesConfig: {
    pending: { description: 'The delivery waits for an attempt, or is being called.' },
    failed: { description: 'The last attempt failed: no more follow.' },
  },
});

@ObjectType({ description: 'The latest request of a delivery; values of authentication read `[redacted]`.' })
export class DeliveryRequest {
  @Field(() => GraphQLJSON, { description: 'Body, as it was fixed when the delivery was stored.' }) payload!: unknown;
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
  @Field(() => GraphQLJSON, { nullable: true, description: 'Body: JSON where it is JSON, else text.' })
  @NullIsValue()
  body!: unknown;
}

@ObjectType({ description: 'Why a call got no answer.' })
export class DeliveryError {
  @Field(() => DeliveryErrorCode, { description: 'BLOCKED, DNS, REFUSED, TLS, TIMEOUT, RESET or PROTOCOL.' })
  @RestScalar('String')
  code!: string;
  @Field(() => String, { description: 'What went wrong, in a sentence.' }) message!: string;
}

@ObjectType({ description: 'How long the parts of a call took, in milliseconds.' })
export class AttemptDuration {
  @Field(() => Float, { description: 'Time to look up the name, connect and agree on TLS.' }) connect!: number;
  @Field(() => Float, { description: 'Time from the connection to the head of the answer.' }) wait!: number;
  @Field(() => Float, { description: 'Time from the head of the answer to its end.' }) read!: number;
  @Field(() => Float, { description: 'Time of the whole call.' }) total!: number;
}

@ObjectType({ description: 'One attempt of a delivery.' })
export class DeliveryAttempt {
  @Field(() => GraphQLDateTimeISO, { description: 'When the attempt was made.' }) at!: string;
  @Field(() => AttemptDuration, { description: 'How long the parts of the call took.' }) duration!: AttemptDuration;
  @Field(() => Int, { nullable: true, description: 'HTTP status of the answer.' }) statusCode?: number | null;
  @Field(() => DeliveryError, { nullable: true, description: 'Why the attempt got no answer.' })
  error?: DeliveryError | null;
}

/** A delivery, as lists show it (contract, section 5). */
@ObjectType({ description: 'A delivery, as it is listed.' })
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
  @Field(() => Int, { description: 'Number of attempts that are made at most.' }) maxNumberAttempts!: number;
  @Field(() => Int, { description: 'Number of attempts that were made.' }) attemptsMade!: number;
  @Field(() => Boolean, { description: 'Whether a 2xx answer came in time.' }) successful!: boolean;
  @createdAt() createdAt!: string;
  @updatedAt() updatedAt!: string;
  @Field(() => DeliveryRequest, { nullable: true, description: 'Latest request; none before the first attempt.' })
  request?: DeliveryRequest | null;
  @Field(() => DeliveryResponse, { nullable: true, description: 'Latest answer; none where none came.' })
  response?: DeliveryResponse | null;
}

@ObjectType({ implements: Node, description: "A call to a hook, from the record's storing to its last attempt." })
export class Delivery extends DeliveryListItem {
  @Field(() => DeliveryError, { nullable: true, description: 'Why the latest attempt got no answer.' })
  error?: DeliveryError | null;
  @Field(() => Boolean, { nullable: true, description: 'Present where more of the answer came than is kept.' })
  truncated?: boolean | null;
  @Field(() => [DeliveryAttempt], { description: 'All attempts, the first one first.' })
  attempts!: DeliveryAttempt[];
  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description:
      'When the next attempt is due; none where the delivery ended or is being called. A hook that is disabled, at its limit or whose circuit is open makes it later.',
  })
  @GraphOnly()
  nextAttemptAt?: string | null;
}
