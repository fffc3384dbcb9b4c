export type { AlertInput, Compared, ComparedBlock, ComparedValues } from './alert-input.ts';
export { type AlertCondition, compileCondition } from './compile-condition.ts';
export { ALERT_TEMPLATES, type AlertTemplate, type TemplateParameter } from './templates.ts';
export { HEAD_NAMES, PRODUCT_NAMES } from './variables.ts';
