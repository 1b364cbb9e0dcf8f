import { ArrayMaxSize, ValidateNested } from 'class-validator';
import { ArgsType, Field, InputType } from 'type-graphql';
import { StreamType, VariableType } from '#entities/enums.js';
import { CheckedByItem } from '#schema/arguments.js';
import { choice, id, label, mark, name, whole } from '#schema/fields.js';
import { OrganizationArgs } from '#schema/organization.args.js';
import { KeyedInput, maxPut, PutArgs } from '#upsert/upsert.args.js';
import { ProductSettingsInput } from './product-settings.args.js';

@InputType({ description: 'Position of a variable in a data stream.' })
export class MappingInput {
  @whole('Number of the stream; frames can address 0 to 255.', 0, 2_147_483_647) streamId!: number;
  @choice(() => StreamType, 'Layout of the stream.') streamType!: StreamType;
  @whole('Number of the variable in the stream; frames of type BIN can address 1 to 32.', 0, 2_147_483_647)
  varNumber!: number;
}

@InputType({ description: 'A variable that devices of a product send.' })
export class VariableInput {
  @label('Name, unique in the product.', 100) name!: string;
  @mark('Unit of the values.', 50) unit?: string | null;
  @choice(() => VariableType, 'Type of the values.') type!: VariableType;
  @Field(() => [MappingInput], { nullable: true, description: 'Positions in data streams.' })
  @ValidateNested({ each: true })
  mappings?: MappingInput[] | null;
}

/** A new product. */
@ArgsType()
export class CreateProductArgs extends OrganizationArgs {
  @name('Name.') name!: string;
  @label('Version.', 100) version!: string;
  @Field(() => [VariableInput], { description: "Variables that the product's devices send." })
  @ArrayMaxSize(500)
  @ValidateNested({ each: true })
  variables!: VariableInput[];
}

/** New values of a product. */
@ArgsType()
export class UpdateProductArgs extends CreateProductArgs {
  @id('Identifier of the product.') productId!: string;
}

/** A product as a call of many puts it. */
@CheckedByItem()
@InputType({ description: 'A product and the key under which a tool knows it.' })
export class ProductInput extends KeyedInput {
  @name('Name.') name!: string;
  @label('Version.', 100) version!: string;
  @Field(() => [VariableInput], { description: "Variables that the product's devices send." })
  @ArrayMaxSize(500)
  @ValidateNested({ each: true })
  variables!: VariableInput[];
  @Field(() => ProductSettingsInput, { nullable: true, description: 'Settings of the variables. Absent: unchanged.' })
  @ValidateNested()
  settings?: ProductSettingsInput | null;
}

/** Many products. */
@ArgsType()
export class PutProductsArgs extends PutArgs {
  @Field(() => [ProductInput], { description: 'The products, at most 1,000.' })
  @ArrayMaxSize(maxPut)
  products!: ProductInput[];
}
