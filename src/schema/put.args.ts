import { ArrayMaxSize, ArrayMinSize, IsIn, Max, Min, ValidateNested } from 'class-validator';
import { ArgsType, Field, Float, ID, InputType } from 'type-graphql';
import { Permission } from '#entities/enums.js';
import { HookEventKind } from '#entities/words.js';
import { OrganizationArgs } from './account.args.js';
import { CheckedByItem } from './arguments.js';
import { LocationInput, ProductReferenceInput } from './device.args.js';
import { choice, description, flag, hookUrl, id, label, labels, name, Storable, serial, whole } from './fields.js';
import { HookAuthenticationInput, HookFilterInput } from './hook.args.js';
import { VariableInput } from './product.args.js';

/** Maximum number of items of a call that puts many things. */
export const maxPut = 1000;

/** A device as a call of many puts it. */
@CheckedByItem()
@InputType({
  description: 'A device by its serial. A value that is absent stays as it is, null clears it.',
})
export class DeviceInput {
  @serial() serial!: string;
  @name('Name.', { optional: true }) name?: string | null;
  @labels('Tags.', 50, 64) tags?: string[] | null;
  @Field(() => ProductReferenceInput, { nullable: true, description: 'Product that describes the device.' })
  @ValidateNested()
  product?: ProductReferenceInput | null;
  @Field(() => LocationInput, { nullable: true, description: 'Where the device stands.' })
  @ValidateNested()
  location?: LocationInput | null;
}

/** Many things to put. */
@ArgsType()
export class PutArgs extends OrganizationArgs {
  @flag('Only say what would be done, and change nothing.') dryRun?: boolean | null;
}

/** Many devices. */
@ArgsType()
export class PutDevicesArgs extends PutArgs {
  @Field(() => [DeviceInput], { description: 'The devices, at most 1,000.' })
  @ArrayMaxSize(maxPut)
  devices!: DeviceInput[];
  @Field(() => [ID], {
    nullable: true,
    description: 'Applications to link each device to, at most 20. Other links stay.',
  })
  @ArrayMaxSize(20)
  linkTo?: string[] | null;
}

/** Names a thing by the key of a tool. */
@InputType({ description: 'A thing by the key of a tool.' })
export abstract class KeyedInput {
  @label('Key that the tool chooses, unique within the organization.', 200) @Storable() externalId!: string;
  @id('The thing that is to have the key, if it exists already and has another or none.', { optional: true })
  id?: string | null;
}

/** A product as a call of many puts it. */
@CheckedByItem()
@InputType({ description: 'A product by the key of a tool.' })
export class ProductInput extends KeyedInput {
  @name('Name.') name!: string;
  @label('Version.', 100) version!: string;
  @Field(() => [VariableInput], { description: 'What devices of the product send.' })
  @ArrayMaxSize(500)
  @ValidateNested({ each: true })
  variables!: VariableInput[];
}

/** Many products. */
@ArgsType()
export class PutProductsArgs extends PutArgs {
  @Field(() => [ProductInput], { description: 'The products, at most 1,000.' })
  @ArrayMaxSize(maxPut)
  products!: ProductInput[];
}

/** An application as a call of many puts it. */
@CheckedByItem()
@InputType({
  description: 'An application by the key of a tool. A value that is absent stays as it is, null clears it.',
})
export class ApplicationInput extends KeyedInput {
  @name('Name.') name!: string;
  @description('Description.') description?: string | null;
  @flag('Whether it has a dashboard.') hasDashboard?: boolean | null;
}

/** Many applications. */
@ArgsType()
export class PutApplicationsArgs extends PutArgs {
  @Field(() => [ApplicationInput], { description: 'The applications, at most 1,000.' })
  @ArrayMaxSize(maxPut)
  applications!: ApplicationInput[];
}

const eventKinds: string[] = Object.values(HookEventKind);

/** A hook as a call of many puts it. */
@CheckedByItem()
@InputType({
  description: 'A hook by the key of a tool. A value that is absent stays as it is, null restores its default.',
})
export class HookInput extends KeyedInput {
  @hookUrl() url!: string;
  @flag('Whether TLS certificates that nobody vouches for are accepted.') allowUnverifiedSSLCert?: boolean | null;
  @flag('Whether it is switched off.') disabled?: boolean | null;
  @Field(() => HookAuthenticationInput, { nullable: true, description: 'How calls authenticate; replaced as a whole.' })
  @ValidateNested()
  authentication?: HookAuthenticationInput | null;
  @whole('Calls at once, over all processes together.', 1, 64, { optional: true }) concurrency?: number | null;
  @Field(() => Float, { nullable: true, description: 'Calls a second, at most.' })
  @Min(0.01)
  @Max(1000)
  maxPerSecond?: number | null;
  @flag("Whether a device's records go out in the order of storing, one at a time.") ordered?: boolean | null;
  @Field(() => [String], { nullable: true, description: `Kinds of events, of ${eventKinds.join(', ')}.` })
  @ArrayMinSize(1)
  @ArrayMaxSize(20)
  @IsIn(eventKinds, { each: true })
  events?: string[] | null;
  @Field(() => HookFilterInput, { nullable: true, description: 'Which records it is called with.' })
  @ValidateNested()
  filter?: HookFilterInput | null;
}

/** Many hooks of an application. */
@ArgsType()
export class PutHooksArgs extends PutArgs {
  @id('Identifier of the application. Only a dry run may leave it out, for an application that is still to be made.', {
    optional: true,
  })
  applicationId?: string | null;
  @Field(() => [HookInput], { description: 'The hooks, at most 100.' })
  @ArrayMaxSize(100)
  hooks!: HookInput[];
}

/** A team as a call of many puts it. */
@CheckedByItem()
@InputType({ description: 'A team by its name. A value that is absent stays as it is, null clears it.' })
export class TeamInput {
  @name('Name.') name!: string;
  @id('The team that is to have the name, if it exists already and has another.', { optional: true })
  id?: string | null;
  @description('Description.') description?: string | null;
}

/** Many teams. */
@ArgsType()
export class PutTeamsArgs extends PutArgs {
  @Field(() => [TeamInput], { description: 'The teams, at most 1,000.' })
  @ArrayMaxSize(maxPut)
  teams!: TeamInput[];
}

/** Names a member of the organization. */
@CheckedByItem()
@InputType({ description: 'A member of the organization, by one of the two.' })
export class TeamMemberInput {
  @id('Identifier of the member.', { optional: true }) memberId?: string | null;
  @label('Username of the member.', 200, { optional: true }) username?: string | null;
}

/** Many members of a team. */
@ArgsType()
export class PutTeamMembersArgs extends PutArgs {
  @id('Identifier of the team.') teamId!: string;
  @Field(() => [TeamMemberInput], { description: 'The members, at most 1,000.' })
  @ArrayMaxSize(maxPut)
  members!: TeamMemberInput[];
}

/** Permission of a team on an application. */
@CheckedByItem()
@InputType({ description: 'An application, by its identifier or the key of a tool, and what a team may do with it.' })
export class TeamApplicationInput {
  @id('Identifier of the application.', { optional: true }) applicationId?: string | null;
  @label('Key of the application that a tool chose.', 200, { optional: true }) externalId?: string | null;
  @choice(() => Permission, 'What the team may do with the application.') permission!: Permission;
}

/** Many applications of a team. */
@ArgsType()
export class PutTeamApplicationsArgs extends PutArgs {
  @id('Identifier of the team.') teamId!: string;
  @Field(() => [TeamApplicationInput], { description: 'The applications, at most 1,000.' })
  @ArrayMaxSize(maxPut)
  applications!: TeamApplicationInput[];
}
