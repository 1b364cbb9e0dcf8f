import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { GraphQLJSONObject } from 'graphql-scalars';
import { Field, Int, ObjectType } from 'type-graphql';
import { computed, createdAt, flag, GraphOnly, identifier, now, reference, text, updatedAt } from './columns.js';
import { StreamType, VariableType } from './enums.js';
import { Node } from './node.js';
import { ProductSettings, type SentSettings, type StoredSettings, storedSettings } from './product-settings.js';
import { slugOf } from './slug.js';
import { storedOrSent } from './stored-json.js';

/** The position of a variable in a data stream (contract, section 5). */
@ObjectType({ description: 'Position of a variable in a data stream.' })
export class Mapping {
  @Field(() => Int, { description: 'Number of the stream; frames can address 0 to 255.' }) streamId!: number;
  @Field(() => StreamType, { description: 'Layout of the stream.' }) streamType!: StreamType;
  @Field(() => Int, { description: 'Number of the variable in the stream; frames of type BIN can address 1 to 32.' })
  varNumber!: number;
}

@ObjectType({ description: 'A variable that devices of a product send.' })
export class Variable {
  @Field(() => String, { description: 'Name, unique in the product.' }) name!: string;
  @Field(() => String, { nullable: true, description: 'Unit of the values.' }) unit?: string | null;
  @Field(() => VariableType, { description: 'Type of the values.' }) type!: VariableType;
  @Field(() => [Mapping], { nullable: true, description: 'Positions in data streams.' }) mappings?: Mapping[] | null;
}

@ObjectType({ description: 'A variable of the records of a product, and how to show it.' })
export class RecordedVariable {
  @Field(() => String, { description: 'Name.' }) name!: string;
  @Field(() => String, { nullable: true, description: 'Unit of the values.' }) unit?: string | null;
  @Field(() => VariableType, { description: 'Type of the values.' }) type!: VariableType;
  @Field(() => Int, { nullable: true, description: 'Decimal places to show.' }) decimals?: number | null;
  @Field(() => GraphQLJSONObject, { nullable: true, description: 'Words to show for values, by the values as text.' })
  words?: Readonly<Record<string, string>> | null;
}

/** A public product, as lists show it (contract, section 5). */
@ObjectType({ description: 'A product, as the list of public products shows it.' })
export class PublicProductListItem {
  @identifier() id!: string;
  @reference('Organization that owns it.') organizationId!: string;
  @text('Name.') name!: string;
  @text('Readable name for URLs, derived from the name.') slug!: string;
  @text('Version.') version!: string;
  @flag('Whether every organization may use the product.') public: boolean = false;
}

@ObjectType({ description: "A product, as the list of an organization's products shows it." })
export class ProductListItem extends PublicProductListItem {
  @computed(() => Int, "Number of devices of the caller's organization that use the product.") deviceCount: number = 0;
}

/** New values of a product. */
export interface ProductChange {
  name: string;
  version: string;
  variables: Variable[];
}

@ObjectType({ implements: Node, description: 'A device type with typed variables.' })
@Entity()
export class Product extends ProductListItem {
  @Property({ type: 'json', columnType: 'jsonb' })
  @Field(() => [Variable], { description: "Variables that the product's devices send." })
  variables!: Variable[];
  @text('Key that a tool chose, unique within the organization.', { nullable: true })
  @GraphOnly()
  externalId?: string | null;
  /** Settings of the variables, by their names. They stay when the variables change. */
  @Property({ type: 'json', columnType: 'jsonb' })
  @Field(() => ProductSettings, { description: "Settings of the product's variables." })
  @GraphOnly()
  settings: StoredSettings = {};
  @createdAt() createdAt: string = now();
  @updatedAt() updatedAt: string = now();

  /** Applies new values. The slug follows the name, and an empty unit counts as none. */
  change({ name, version, variables }: ProductChange): this {
    this.name = name;
    this.slug = slugOf(name, this.id);
    this.version = version;
    const taken = variables.map(({ name, type, unit, mappings }) => ({
      name,
      type,
      ...(unit && { unit }),
      ...(mappings && { mappings: mappings.map((mapping) => ({ ...mapping })) }),
    }));
    this.variables = storedOrSent(this.variables, taken);
    return this;
  }

  /** Replaces the settings. */
  set(settings: SentSettings): void {
    this.settings = storedOrSent(this.settings, storedSettings(settings));
  }
}

/** Returns the variables of a product's records: those that devices send, and derived ones. */
export const recordedVariables = ({ variables, settings }: Pick<Product, 'variables' | 'settings'>): Variable[] => [
  ...variables,
  ...(settings.derived ?? []),
];

/** Returns the variables of a product's records with what settings say of showing them. */
export const shownVariablesOf = (product: Pick<Product, 'variables' | 'settings'>): RecordedVariable[] => {
  const settings = new Map(Object.entries(product.settings.variables ?? {}));
  return recordedVariables(product).map(({ name, unit = null, type }) => {
    const { decimals = null, words = null } = settings.get(name) ?? {};
    return { name, unit, type, decimals, words };
  });
};

/** A product that a device refers to (contract, section 5). */
@ObjectType({ description: 'A product, by its identifiers.' })
export class ProductReference {
  @reference('Identifier of the product.') id!: string;
  @reference('Organization that owns it.') organizationId!: string;
}
