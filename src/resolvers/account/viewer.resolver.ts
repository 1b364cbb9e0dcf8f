import { Ctx, Field, FieldResolver, ID, Int, ObjectType, Query, Resolver } from 'type-graphql';
import { loadApplication } from '#auth/access.js';
import { policies } from '#auth/policies.js';
import { Application } from '#entities/application.js';
import { Role, TokenScope } from '#entities/enums.js';
import type { Context } from '#schema/context.js';

/** The caller and the permissions of the token, so that a client can hide actions that the service would refuse. */
@ObjectType({ description: 'The caller, and the permissions of the token.' })
export class Viewer {
  @Field(() => TokenScope, { description: 'Scope of the token.' }) scope!: TokenScope;
  @Field(() => Role, { description: 'Role of the caller in the organization; `owner` for the organization itself.' })
  role!: Role;
  @Field(() => ID, {
    nullable: true,
    description: 'Member that the token acts as; null if it acts as the organization.',
  })
  userId!: string | null;
}

@ObjectType({ description: "The service's endpoint for MQTT, at the host name of the service." })
export class MqttEndpoint {
  @Field(() => Int, { description: 'Port.' }) port!: number;
  @Field(() => Boolean, { description: 'Whether connections are encrypted (TLS).' }) encrypted!: boolean;
}

/** Resolves the caller by its token. */
@Resolver(() => Viewer)
export class ViewerResolver {
  /** @param mqttEndpoint null if MQTT is off, or takes any free port. */
  constructor(private readonly mqttEndpoint: MqttEndpoint | null) {}

  @Query(() => Viewer, { description: 'The caller, and the permissions of the token.' })
  viewer(@Ctx() { caller }: Context): Viewer {
    const { scope, role, userId } = caller;
    return Object.assign(new Viewer(), { scope, role, userId });
  }

  @FieldResolver(() => MqttEndpoint, {
    nullable: true,
    description: 'Address where devices publish; null if MQTT is off.',
  })
  mqtt(): MqttEndpoint | null {
    return this.mqttEndpoint;
  }

  @FieldResolver(() => Application, {
    nullable: true,
    description: 'Application that a link to a dashboard shows; null for every other caller.',
  })
  application(@Ctx() ctx: Context): Promise<Application> | null {
    const { organizationId, applicationId } = ctx.caller;
    return applicationId === null
      ? null
      : loadApplication(ctx, { organizationId, applicationId }, policies.application.read);
  }
}
