import { ArgsType, InputType } from 'type-graphql';
import { flag, id, label, Storable } from '#schema/fields.js';
import { OrganizationArgs } from '#schema/organization.args.js';

/** Maximum number of items of a call that puts many things. */
export const maxPut = 1000;

/** Many things to put. */
@ArgsType()
export class PutArgs extends OrganizationArgs {
  @flag('Dry run: report what would be done, and change nothing.') dryRun?: boolean | null;
}

@InputType({ description: 'A thing and the key under which a tool knows it.' })
export abstract class KeyedInput {
  @label('Key that the tool chooses, unique within the organization.', 200) @Storable() externalId!: string;
  @id('The thing that is to have the key, if it exists already and has another or none.', { optional: true })
  id?: string | null;
}
