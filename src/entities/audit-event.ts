import { GraphQLDateTimeISO, GraphQLJSON } from 'graphql-scalars';
import { Field, ID, ObjectType, registerEnumType } from 'type-graphql';
import type { PlainJson } from '#json/json.js';
import { Node } from './node.js';

export enum AuditActorKind {
  token = 'token',
  session = 'session',
  operator = 'operator',
  job = 'job',
  person = 'person',
}

registerEnumType(AuditActorKind, {
  name: 'AuditActorKind',
  description: 'Kind of an actor.',
  valuesConfig: {
    token: { description: 'A call with a token.' },
    session: { description: 'A signed-in person.' },
    operator: { description: 'An operator at the command line.' },
    job: { description: 'A step of a job; another event names who requested the job.' },
    person: { description: 'Somebody whom a provider of sign-ins named, and who is not signed in.' },
  },
});

/** The possible outcomes of an operation. */
export enum AuditOutcome {
  success = 'success',
  refused = 'refused',
}

registerEnumType(AuditOutcome, {
  name: 'AuditOutcome',
  description: 'Outcome of an operation.',
  valuesConfig: {
    success: { description: 'The operation was done.' },
    refused: {
      description:
        'The actor was not allowed to do it. At most one event a minute is stored for an actor and an action.',
    },
  },
});

/** Thing that an event is about, with its name at the time of the event. */
export interface AuditTarget {
  /** The kind of the thing, such as `device`. */
  kind: string;
  id: string | null;
  name: string | null;
}

/** The values of fields before and after; `null` where there is none. A secret reads `"changed"`. */
export type AuditChanges = Readonly<Record<string, readonly [before: PlainJson, after: PlainJson]>>;

/** Returns the changes of an object that had no values before. */
export const newValues = (values: Readonly<Record<string, PlainJson>>): AuditChanges => {
  const changes: Record<string, readonly [PlainJson, PlainJson]> = {};
  for (const [name, value] of Object.entries(values)) changes[name] = [null, value];
  return changes;
};

@ObjectType({ description: 'Actor of an event, with the names of that time.' })
export class AuditActor {
  @Field(() => AuditActorKind, { description: 'Kind of the actor.' }) kind!: AuditActorKind;
  @Field(() => ID, { nullable: true, description: 'Identifier of the token, the session or the job.' })
  actorId?: string | null;
  @Field(() => String, { nullable: true, description: 'Name of the token, of the operator, or kind of the job.' })
  name?: string | null;
  @Field(() => ID, { nullable: true, description: 'Identifier of the user whose token or session it is.' })
  userId?: string | null;
  @Field(() => String, { nullable: true, description: 'Name of that user.' }) userName?: string | null;
}

/** The thing that an event is about, as it is published. */
@ObjectType('AuditTarget', { description: 'Thing that an event is about, with the name of that time.' })
export class AuditTargetReference {
  @Field(() => String, { description: 'Kind of the thing, such as `device` or `team`.' }) kind!: string;
  @Field(() => ID, { nullable: true, description: 'Identifier of the thing.' }) targetId?: string | null;
  @Field(() => String, { nullable: true, description: 'Name of the thing.' }) name?: string | null;
}

@ObjectType({ description: 'One changed field.' })
export class AuditChange {
  @Field(() => String, { description: 'Name of the field.' }) field!: string;
  @Field(() => GraphQLJSON, { nullable: true, description: 'Value before the change; `"changed"` for a secret.' })
  before?: PlainJson;
  @Field(() => GraphQLJSON, { nullable: true, description: 'Value after the change; `"changed"` for a secret.' })
  after?: PlainJson;
}

/** Something that was done, or refused: who did what to which thing. */
@ObjectType({ implements: Node, description: 'An event of the audit log: who did what to which thing.' })
export class AuditEvent {
  @Field(() => ID, { description: 'Identifier.' }) id!: string;
  @Field(() => ID, { description: 'Organization of the event.' }) organizationId!: string;
  @Field(() => GraphQLDateTimeISO, { description: 'Time of the event.' }) at!: string;
  @Field(() => AuditActor, { description: 'Actor of the operation.' }) actor!: AuditActor;
  @Field(() => String, { description: 'Name of the operation, such as `updateTeam`.' }) action!: string;
  @Field(() => AuditTargetReference, { nullable: true, description: 'Thing that it was done to.' })
  target?: AuditTargetReference | null;
  @Field(() => [AuditChange], { description: 'Changed fields.' }) changes!: AuditChange[];
  @Field(() => AuditOutcome, { description: 'Outcome of the operation.' }) outcome!: AuditOutcome;
  @Field(() => String, { nullable: true, description: 'Identifier of the request.' }) requestId?: string | null;
  @Field(() => String, { nullable: true, description: 'Address that the request came from.' }) address?: string | null;
}
