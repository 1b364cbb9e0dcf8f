import { ArrayMaxSize, ArrayMinSize, ValidateNested } from 'class-validator';
import { ArgsType, Field } from 'type-graphql';
import { ProductArgs } from '#listing/identifier.args.js';
import { id, whole } from '#schema/fields.js';
import { DerivedVariableInput } from './product-settings.args.js';

/** Derived variables to try with records of a device. */
@ArgsType()
export class PreviewFormulasArgs extends ProductArgs {
  @Field(() => [DerivedVariableInput], {
    description: 'The derived variables, at most 50, as `putProductSettings` takes them.',
  })
  @ArrayMinSize(1)
  @ArrayMaxSize(50)
  @ValidateNested({ each: true })
  derived!: DerivedVariableInput[];
  @id('Device of the product.') deviceId!: string;
  @whole('Number of records.', 1, 50, { usual: 10 }) limit!: number;
}
