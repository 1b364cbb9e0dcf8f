import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { ObjectType } from 'type-graphql';
import { computed, createdAt, identifier, identifiers, now, reference, text, updatedAt } from './columns.js';
import { Location } from './device.js';
import { Node } from './node.js';

/** New values of a site. An absent field stays unchanged; `null` clears it. */
export interface SiteChange {
  name: string;
  kind?: string | null;
  location?: Location | null;
  timeZone?: string | null;
}

@ObjectType({ implements: Node, description: 'A place where devices are, such as a building, a floor or a room.' })
@Entity()
export class Site {
  @identifier() id!: string;
  @reference('Organization that owns it.') organizationId!: string;
  @reference('Site that it is in; null for a site at the top.', { nullable: true }) parentId: string | null = null;
  @identifiers('Identifiers of the site and of those above it, in the order from the top.') path!: string[];
  @text('Name.') name!: string;
  @text('Kind, such as `building`.', { nullable: true }) kind?: string | null;
  @Property({ type: 'double', columnType: 'double precision', nullable: true }) lat?: number | null;
  @Property({ type: 'double', columnType: 'double precision', nullable: true }) lon?: number | null;
  @computed(() => Location, 'Location.', { nullable: true }) location?: Location | null;
  @text('Time zone, such as `Europe/Berlin`.', { nullable: true }) timeZone?: string | null;
  @text('Key that a tool chose, unique within the organization.', { nullable: true }) externalId?: string | null;
  @createdAt() createdAt: string = now();
  @updatedAt() updatedAt: string = now();

  /** Applies new values. */
  change({ name, kind, location, timeZone }: SiteChange): this {
    this.name = name;
    if (kind !== undefined) this.kind = kind;
    if (timeZone !== undefined) this.timeZone = timeZone;
    if (location !== undefined) {
      this.location = location;
      this.lat = location?.lat ?? null;
      this.lon = location?.lon ?? null;
    }
    return this;
  }

  /** Puts the site below another, or at the top. */
  place(parent: Pick<Site, 'id' | 'path'> | null): this {
    this.parentId = parent?.id ?? null;
    this.path = [...(parent?.path ?? []), this.id];
    return this;
  }
}
