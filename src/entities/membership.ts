import { Entity, Enum, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { now, Timestamp } from './columns.js';
import { Role } from './enums.js';

/** The membership of a user in an organization. */
@Entity()
export class Membership {
  @PrimaryKey({ type: 'uuid', columnType: 'uuid' }) organizationId!: string;
  @PrimaryKey({ type: 'uuid', columnType: 'uuid' }) userId!: string;
  @Enum({ items: () => Role, columnType: 'text' }) role!: Role;
  @Property({ type: new Timestamp() }) createdAt: string = now();
}
