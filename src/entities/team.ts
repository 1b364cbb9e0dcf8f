import { Entity } from '@mikro-orm/decorators/legacy';
import { ObjectType } from 'type-graphql';
import { createdAt, identifier, now, reference, text, updatedAt } from './columns.js';
import { Node } from './node.js';
import { slugOf } from './slug.js';

/** A team, as lists show it (contract, section 5). */
@ObjectType({ description: 'A team, as lists show it.' })
export class TeamListItem {
  @identifier() id!: string;
  @reference('Organization that owns it.') organizationId!: string;
  @text('Name.') name!: string;
  @text('Readable name for URLs, derived from the name.') slug!: string;
  @text('Description.', { nullable: true }) description?: string | null;
}

/** New values of a team. An absent field stays unchanged; `null` clears it. */
export interface TeamChange {
  name: string;
  description?: string | null;
}

@ObjectType({ implements: Node, description: 'A group of members with access to applications.' })
@Entity()
export class Team extends TeamListItem {
  @createdAt() createdAt: string = now();
  @updatedAt() updatedAt: string = now();

  /** Applies new values. The slug follows the name. */
  change({ name, description }: TeamChange): this {
    this.name = name;
    this.slug = slugOf(name, this.id);
    if (description !== undefined) this.description = description;
    return this;
  }
}
