import { GraphQLDateTimeISO } from 'graphql-scalars';
import { Field, ObjectType, registerEnumType } from 'type-graphql';
import { EmailAddress } from './scalars.js';

export enum AlertRecipientState {
  pending = 'pending',
  confirmed = 'confirmed',
  stopped = 'stopped',
}

registerEnumType(AlertRecipientState, {
  name: 'AlertRecipientState',
  description: 'Whether an e-mail address gets notices of alert rules.',
  valuesConfig: {
    pending: { description: 'The address is not confirmed yet, and gets no notices.' },
    confirmed: { description: 'The address gets notices.' },
    stopped: { description: 'The address no longer gets notices; `reason` says why.' },
  },
});

@ObjectType({ description: 'An e-mail address that a rule names, and its state in the organization.' })
export class AlertRecipient {
  @Field(() => EmailAddress, { description: 'The address, as the rule names it.' }) address!: string;
  @Field(() => AlertRecipientState, { description: 'Whether the address gets notices.' }) state!: AlertRecipientState;
  @Field(() => String, {
    nullable: true,
    description: 'Reason why notices stopped: `recipient` (by a link in a notice), or the answer of the mail server.',
  })
  reason!: string | null;
  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'Time of the last change of the state.' }) since!:
    | string
    | null;
}
