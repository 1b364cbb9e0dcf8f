import { Entity } from '@mikro-orm/decorators/legacy';
import { ObjectType } from 'type-graphql';
import { computed, createdAt, flag, GraphOnly, identifier, now, reference, text, updatedAt } from './columns.js';
import { Permission } from './enums.js';
import { Node } from './node.js';
import { slugOf } from './slug.js';

/** An application, as lists show it (contract, section 5). */
@ObjectType({ description: 'An application, as lists show it.' })
export class ApplicationListItem {
  @identifier() id!: string;
  @reference('Organization that owns it.') organizationId!: string;
  @text('Name.') name!: string;
  @text('Readable name for URLs, derived from the name.') slug!: string;
  @text('Description.', { nullable: true }) description?: string | null;
  @computed(() => Permission, "The caller's permission on the application.") permission!: Permission;
}

/** New values of an application. An absent field stays unchanged; `null` clears it. */
export interface ApplicationChange {
  name: string;
  description?: string | null;
  hasDashboard?: boolean | null;
}

@ObjectType({
  implements: Node,
  description: 'A group of devices whose records are searched together and sent to its hooks.',
})
@Entity()
export class Application extends ApplicationListItem {
  @flag('Whether the application has a dashboard.') hasDashboard: boolean = false;
  @text('Key that a tool chose, unique within the organization.', { nullable: true })
  @GraphOnly()
  externalId?: string | null;
  @createdAt() createdAt: string = now();
  @updatedAt() updatedAt: string = now();

  /** Applies new values. The slug follows the name. */
  change({ name, description, hasDashboard }: ApplicationChange): this {
    this.name = name;
    this.slug = slugOf(name, this.id);
    if (description !== undefined) this.description = description;
    if (hasDashboard !== undefined) this.hasDashboard = hasDashboard ?? false;
    return this;
  }
}

/** An application that another object refers to (contract, section 5: hooks, deliveries). */
@ObjectType({ description: 'An application, by its identifiers.' })
export class ApplicationReference {
  @reference('Identifier of the application.') id!: string;
  @reference('Organization that owns it.') organizationId!: string;
}
