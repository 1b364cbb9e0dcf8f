import { getMetadataStorage } from 'class-validator';
import type { ClassType } from 'type-graphql';

type Class = ClassType<object>;
type Metadata = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

/** Whether an instance meets all rules. */
type Kept = (instance: object) => boolean;

const checks = new WeakMap<Class, Kept>();

/**
 * Whether an instance meets every class-validator rule of its class. class-validator collects the rules at each call
 * and prepares a fault for each property. Here the rules are collected once, and class-validator runs only to describe
 * faults. It also checks values with rules that are not supported here.
 */
export const validates = (instance: object, type: Class): boolean => {
  let kept = checks.get(type);
  if (kept === undefined) {
    kept = keptOf(type);
    checks.set(type, kept);
  }
  return kept(instance);
};

/**
 * Returns the indices of list items that break a rule for items (`each`); none when the rule is for the list as a
 * whole.
 */
export const brokenItems = (instance: object, property: string, rule: string): number[] => {
  const list = (instance as Readonly<Record<string, unknown>>)[property];
  const metadata = getMetadataStorage()
    .getTargetValidationMetadatas(instance.constructor, '', false, false)
    .find(({ propertyName, name, each }) => propertyName === property && name === rule && each);
  if (metadata === undefined || !Array.isArray(list)) return [];
  const keeps = ruleOf(metadata);
  return list.flatMap((item: unknown, index) => (keeps({ [property]: [item] }) ? [] : [index]));
};

const keptOf = (type: Class): Kept => {
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false).map(ruleOf);
  return (instance) => rules.every((rule) => rule(instance));
};

const ruleOf = (metadata: Metadata): Kept => {
  const { type, propertyName: property, constraintCls, constraints, each } = metadata;
  const validators = getMetadataStorage().getTargetValidatorConstraints(constraintCls);
  const isKnown = type === 'customValidation' && !metadata.validateIf && !validators.some(({ async }) => async);
  const holds = (value: unknown, object: object) =>
    isKnown &&
    validators.every(
      ({ instance }) => instance.validate(value, { value, constraints, object, property, targetName: '' }) === true,
    );
  return (object) => {
    const value = (object as Readonly<Record<string, unknown>>)[property];
    if (value === undefined || value === null) return true;
    return each && Array.isArray(value) ? value.every((item) => holds(item, object)) : holds(value, object);
  };
};
