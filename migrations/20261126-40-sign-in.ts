import { Migration } from '@mikro-orm/migrations';

/** Tables of sign-in: identities at providers, sessions, links for one sign-in, and invitations. */
export class SignIn extends Migration {
  override up(): void {
    this.addSql(`
      -- A person at an OpenID Connect provider. The e-mail address does not identify the person, because providers
      -- reassign addresses.
      create table identity (
        issuer text not null,
        subject text not null,
        user_id uuid not null references account on delete cascade,
        created_at timestamptz(3) not null,
        last_used_at timestamptz(3) not null,
        primary key (issuer, subject)
      );
      create index identity_user on identity (user_id);

      create table session (
        -- The session gets another identifier when it acts in another organization, which ends whatever the old one
        -- opened.
        id uuid primary key,
        -- SHA-256 of the cookie's value; the value itself is stored nowhere.
        hash bytea not null unique,
        user_id uuid not null references account on delete cascade,
        -- Organization that the session acts in; null when the person is a member of none.
        organization_id uuid,
        created_at timestamptz(3) not null,
        last_used_at timestamptz(3) not null,
        expires_at timestamptz(3) not null,
        user_agent text,
        address text,
        -- A session ends with the membership that lets it act in the organization.
        foreign key (organization_id, user_id) references membership on delete cascade
      );
      create index session_person on session (user_id, last_used_at);
      create index session_organization on session (organization_id, user_id);
      create index session_expiry on session (expires_at);

      -- Sign-ins in progress. Any process may handle the callback.
      create table sign_in_attempt (
        -- SHA-256 of the state parameter.
        state bytea primary key,
        -- SHA-256 of the cookie in the browser that began the sign-in.
        browser bytea not null,
        -- Number of the provider in the settings.
        provider int not null,
        nonce text not null,
        verifier text not null,
        redirect_uri text not null,
        return_to text not null,
        -- SHA-256 of the token of the invitation that the sign-in began with.
        invitation bytea,
        address text not null,
        created_at timestamptz(3) not null,
        expires_at timestamptz(3) not null,
        -- The person as the provider described them, when they have no account yet and may accept the invitation.
        person jsonb
      );
      create index sign_in_attempt_address on sign_in_attempt (address, created_at);
      create index sign_in_attempt_browser on sign_in_attempt (browser);
      create index sign_in_attempt_expiry on sign_in_attempt (expires_at);

      -- Links that operators make for one sign-in.
      create table sign_in_link (
        hash bytea primary key,
        user_id uuid not null references account on delete cascade,
        expires_at timestamptz(3) not null
      );
      create index sign_in_link_user on sign_in_link (user_id);

      create table invitation (
        id uuid primary key,
        organization_id uuid not null references account on delete cascade,
        email text not null,
        role text not null check (role in ('owner', 'member')),
        -- Teams that were deleted in the meantime are ignored.
        team_ids uuid[] not null default '{}',
        -- SHA-256 of the link's token.
        hash bytea not null unique,
        created_at timestamptz(3) not null,
        expires_at timestamptz(3) not null
      );
      create unique index invitation_address on invitation (organization_id, lower(email));
      create index invitation_expiry on invitation (expires_at);
    `);
  }
}
