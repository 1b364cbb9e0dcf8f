import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { Field, Int, ObjectType, registerEnumType } from 'type-graphql';
import { createdAt, flag, identifier, now, RestScalar, reference, text, updatedAt, url } from './columns.js';
import { Node } from './node.js';
import { words } from './text-enums.js';

/** Kinds of network servers that take commands. */
export const NetworkServerKind = words('THE_THINGS_STACK', 'CHIRPSTACK');

/** A kind of network server. */
export type NetworkServerKindName = keyof typeof NetworkServerKind;

registerEnumType(NetworkServerKind, {
  name: 'NetworkServerKind',
  description: 'Kind of a network server.',
  valuesConfig: {
    THE_THINGS_STACK: { description: 'The Things Stack 3.' },
    CHIRPSTACK: { description: 'ChirpStack 4, by its REST API.' },
  },
});

/** New values of a network server. An absent field stays unchanged. */
export interface NetworkServerChange {
  name: string;
  address: string;
  application: string;
}

@ObjectType({
  implements: Node,
  description: 'A network server that takes commands for devices of one of its applications.',
})
@Entity()
export class NetworkServer {
  @identifier() id!: string;
  @reference('Organization that owns it.') organizationId!: string;

  @Property({ type: 'string', columnType: 'text' })
  @RestScalar('String')
  @Field(() => NetworkServerKind, { description: 'Kind.' })
  kind!: NetworkServerKindName;

  @text('Name.') name!: string;
  @url('Address: scheme, host, port and the path before `/api`.') address!: string;
  @text('Application at the server whose devices it takes commands for, by its identifier there.') application!: string;
  @Property({ type: 'string', columnType: 'text' }) apiKey!: string;
  @flag('Whether uplinks named the server and no owner has confirmed it. It then takes no commands.')
  proposed: boolean = false;
  @createdAt() createdAt: string = now();
  @updatedAt() updatedAt: string = now();

  /** Applies new values. */
  change({ name, address, application }: NetworkServerChange): this {
    this.name = name;
    this.address = plainAddress(address);
    this.application = application;
    return this;
  }
}

/** Returns an address without slashes at its end. */
export const plainAddress = (address: string): string => {
  let end = address.length;
  while (address[end - 1] === '/') end--;
  return address.slice(0, end);
};

@ObjectType({ description: 'Answer of a network server to a test.' })
export class NetworkServerTest {
  @Field(() => Boolean, { description: 'Whether it would take commands.' }) ok!: boolean;
  @Field(() => String, { nullable: true, description: 'Reason why not, in capitals.' }) code?: string | null;
  @Field(() => String, { description: 'Meaning of the answer, and what to do.' }) message!: string;
  @Field(() => Int, { nullable: true, description: 'Status that the server answered.' }) statusCode?: number | null;
}
