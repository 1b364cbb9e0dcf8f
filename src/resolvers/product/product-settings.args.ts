import { ArrayMaxSize, IsDefined, Length, ValidateNested } from 'class-validator';
import { ArgsType, Field, InputType } from 'type-graphql';
import { StreamType, VariableType } from '#entities/enums.js';
import { maxFormulaLength } from '#expression/formula.js';
import { ProductArgs } from '#listing/identifier.args.js';
import { choice, flag, label, mark, number, whole } from '#schema/fields.js';

@InputType({ description: 'Behaviour of a variable that counts up, such as the energy of a meter.' })
export class CounterInput {
  @number('Value at which the counter begins again at zero. Absent: it never does.', 1, 1e300, { optional: true })
  rollsOverAt?: number | null;
  @number('Largest step back that counts as noise, not as a reset. Absent: 0.', 0, 1e300, { optional: true })
  jitter?: number | null;
}

@InputType({ description: 'A word to show for a value.' })
export class ValueWordInput {
  @Field(() => String, { description: 'The value as text: `3`, `true`, `open`.' }) @Length(0, 100) value!: string;
  @label('The word.', 100) word!: string;
}

@InputType({ description: 'Settings of a variable, which a device does not send.' })
export class VariableSettingsInput {
  @label('Name of the variable. The product may lack it: then the settings have no effect.', 100) name!: string;
  @Field(() => CounterInput, { nullable: true, description: 'Behaviour of the variable, if it is a counter.' })
  @ValidateNested()
  counter?: CounterInput | null;
  @Field(() => [ValueWordInput], {
    nullable: true,
    description: 'Words to show for values: at most 200, 2,000 in all.',
  })
  @ArrayMaxSize(200)
  @ValidateNested({ each: true })
  words?: ValueWordInput[] | null;
  @whole('Decimal places to show.', 0, 15, { optional: true }) decimals?: number | null;
}

@InputType({ description: 'A variable that the service computes when it stores a record.' })
export class DerivedVariableInput {
  @label('Name without a dot, which no variable of the product has.', 100) name!: string;
  @mark('Unit of the values.', 50) unit?: string | null;
  @choice(() => VariableType, 'Type of the values.') type!: VariableType;
  @label(
    'Formula over variables of the same record, such as `(temperature - 32) / 1.8`. Other names than identifiers stand in backquotes.',
    maxFormulaLength,
  )
  formula!: string;
}

@InputType({ description: 'A parameter of a command, or a part of the state of devices.' })
export class TypedNameInput {
  @label('Name.', 100) name!: string;
  @choice(() => VariableType, 'Type of the values.') type!: VariableType;
  @mark('Unit of the values.', 50) unit?: string | null;
}

@InputType({ description: 'A command that devices of a product understand.' })
export class CommandDeclarationInput {
  @label('Name, other than `raw`.', 100) name!: string;
  @Field(() => [TypedNameInput], {
    nullable: true,
    description: 'Parameters, in the order of their bytes: parameter i is variable i of the layout. At most 32.',
  })
  @ArrayMaxSize(32)
  @ValidateNested({ each: true })
  parameters?: TypedNameInput[] | null;
  @whole('Stream (LoRaWAN: port) of the bytes. Absent: devices take no bytes, but the parameters by name.', 0, 255, {
    optional: true,
  })
  streamId?: number | null;
  @choice(() => StreamType, 'Layout of the bytes, together with `streamId`.', { optional: true })
  streamType?: StreamType | null;
  @flag('Whether the network asks the device to confirm it. Absent: false.') confirmed?: boolean | null;
  @flag('Whether only those who may send it see parameters and payload. Absent: false.') secret?: boolean | null;
}

@InputType({ description: 'Settings of a product, by the names of its variables.' })
export class ProductSettingsInput {
  @Field(() => [VariableSettingsInput], { nullable: true, description: 'Settings of variables, at most 1,000.' })
  @ArrayMaxSize(1000)
  @ValidateNested({ each: true })
  variables?: VariableSettingsInput[] | null;
  @Field(() => [DerivedVariableInput], {
    nullable: true,
    description: 'Variables that the service computes when it stores a record, at most 50.',
  })
  @ArrayMaxSize(50)
  @ValidateNested({ each: true })
  derived?: DerivedVariableInput[] | null;
  @Field(() => [CommandDeclarationInput], {
    nullable: true,
    description: 'Commands that devices understand, at most 50.',
  })
  @ArrayMaxSize(50)
  @ValidateNested({ each: true })
  commands?: CommandDeclarationInput[] | null;
  @Field(() => [TypedNameInput], { nullable: true, description: 'Parts of the state that devices have, at most 100.' })
  @ArrayMaxSize(100)
  @ValidateNested({ each: true })
  state?: TypedNameInput[] | null;
}

/** New settings of a product. */
@ArgsType()
export class PutProductSettingsArgs extends ProductArgs {
  @Field(() => ProductSettingsInput, { description: 'The settings, which replace all former ones.' })
  @IsDefined()
  @ValidateNested()
  settings!: ProductSettingsInput;
  @mark(
    'Version of the settings that the change was made from. Without it, the settings are replaced whatever they are.',
    100,
  )
  version?: string | null;
}
