import { type ApiError, conflict, type DayFull, dayFull, forbidden, notFound, quotaExceeded } from './errors.js';

/** Errors for violated constraints of the database. A race that earlier checks missed ends here. */
const meanings = {
  account_username_key: () => conflict('This username is taken.', [{ path: 'username', message: 'is taken' }]),
  account_email_key: () => conflict('This e-mail address is taken.', [{ path: 'email', message: 'is taken' }]),
  invitation_address: () =>
    conflict('This address is invited already: send that invitation again.', [
      { path: 'email', message: 'is invited' },
    ]),
  network_server_application: () =>
    conflict('The application has a network server already: change that one.', [
      { path: 'application', message: 'is taken' },
    ]),
  device_organization_id_serial_key_key: () =>
    conflict('A device with this serial is registered already.', [{ path: 'deviceSerial', message: 'is taken' }]),
  device_product_id_fkey: () => notFound('product'),
  application_device_organization_id_application_id_fkey: () => notFound('application'),
  application_device_organization_id_device_id_fkey: () => notFound('device'),
  team_member_organization_id_team_id_fkey: () => notFound('team'),
  team_member_organization_id_user_id_fkey: () => notFound('member'),
  team_application_organization_id_team_id_fkey: () => notFound('team'),
  team_application_organization_id_application_id_fkey: () => notFound('application'),
  hook_organization_id_application_id_fkey: () => notFound('application'),
  membership_user_id_fkey: () => notFound('user'),
  api_token_organization_id_user_id_fkey: () => notFound('member'),
  api_token_organization_id_device_id_fkey: () => notFound('device'),
  api_token_product_id_fkey: () => notFound('product'),
  api_token_organization_id_application_id_fkey: () => notFound('application'),
  site_organization_id_parent_id_fkey: () => notFound('site'),
  device_site_organization_id_site_id_fkey: () => notFound('site'),
  device_site_organization_id_device_id_fkey: () => notFound('device'),
  // The file was deleted meanwhile.
  file_import_part_import_id_fkey: () => notFound('import'),
  file_import_removed_import_id_fkey: () => notFound('import'),
  // A trigger raises this constraint.
  quota_devices: () =>
    forbidden(
      'The organization has as many devices as its quota allows. Delete devices, or ask the operator for a larger quota.',
    ),
  // A trigger raises this constraint, with the figures as its detail.
  quota_commands: (detail = '{}') => {
    const { wait, ...full } = JSON.parse(detail) as DayFull & { wait: number };
    return quotaExceeded(dayFull('commands', full), Math.max(1, wait));
  },
} as const satisfies Readonly<Record<string, (detail?: string) => ApiError>>;

/** A constraint that a caller can violate. */
export type KnownConstraint = keyof typeof meanings;

/** Returns the error that a caller sees for a violated constraint. */
export const violationOf = (constraint: KnownConstraint): ApiError => meanings[constraint]();

const constraintOf = (error: unknown): string | undefined =>
  error instanceof Error && 'constraint' in error && typeof error.constraint === 'string'
    ? error.constraint
    : undefined;

const detailOf = (error: unknown): string | undefined =>
  error instanceof Error && 'detail' in error && typeof error.detail === 'string' ? error.detail : undefined;

/** Whether a database error says that this constraint was violated. */
export const violates = (error: unknown, constraint: string): boolean => constraintOf(error) === constraint;

/** Returns the error that a caller may see for a violated constraint; undefined when a caller cannot cause it. */
export function constraintError(error: unknown): ApiError | undefined {
  const constraint = constraintOf(error);
  return constraint === undefined
    ? undefined
    : (meanings as Readonly<Record<string, (detail?: string) => ApiError>>)[constraint]?.(detailOf(error));
}
