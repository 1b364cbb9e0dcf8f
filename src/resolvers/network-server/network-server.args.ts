import { Length, Matches, MaxLength, ValidateBy } from 'class-validator';
import { ArgsType, Field } from 'type-graphql';
import { NetworkServerKind, type NetworkServerKindName, plainAddress } from '#entities/network-server.js';
import { NetworkServerArgs } from '#listing/identifier.args.js';
import { choice, hookUrl, name } from '#schema/fields.js';
import { OrganizationArgs } from '#schema/organization.args.js';

const endsBeforeApi = (value: unknown): boolean => !/\/api(\/v3)?$/.test(plainAddress(String(value)));

const address = () =>
  hookUrl(
    'Address of the server: http or https, without the path of its API, user name and password. For ChirpStack, that of its REST API.',
    Matches(/^[^?#]*$/, { message: 'must have no query and no fragment' }),
    ValidateBy({ name: 'endsBeforeApi', validator: { validate: endsBeforeApi } }, { message: 'must end before /api' }),
  );

const application = (): PropertyDecorator => (target, key) => {
  Field(() => String, {
    description: 'Application at the server, by its identifier there. An application has one network server.',
  })(target, key as string);
  Length(1, 100)(target, key as string);
  Matches(/^[0-9A-Za-z][0-9A-Za-z_-]*$/, { message: 'must be letters, digits, dashes and underscores' })(
    target,
    key as string,
  );
};

/** Declares a key, which a header carries. */
const apiKey =
  (description: string, nullable: boolean): PropertyDecorator =>
  (target, key) => {
    Field(() => String, { nullable, description })(target, key as string);
    MaxLength(2000)(target, key as string);
    Matches(/^[\x21-\x7e]+$/, { message: 'must be visible ASCII characters' })(target, key as string);
  };

/** A new network server. */
@ArgsType()
export class CreateNetworkServerArgs extends OrganizationArgs {
  @choice(() => NetworkServerKind, 'Kind.') kind!: NetworkServerKindName;
  @name('Name.') name!: string;
  @address() address!: string;
  @application() application!: string;
  @apiKey('Key with which the server takes commands. It is never shown again.', false) apiKey!: string;
}

/** New values of a network server. */
@ArgsType()
export class UpdateNetworkServerArgs extends NetworkServerArgs {
  @name('Name.') name!: string;
  @address() address!: string;
  @application() application!: string;
  @apiKey('Key with which the server takes commands. Absent: unchanged, unless the address changes.', true)
  apiKey?: string | null;
}
