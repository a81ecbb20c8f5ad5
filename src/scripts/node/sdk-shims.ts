/**
 * Stands in for the SDK's own platform part when the script is bundled: without its JSON Schema library the file is a
 * quarter smaller and starts faster. What servers return is shown as it is, so results are not validated here.
 */
import type { JsonSchemaType, JsonSchemaValidator, jsonSchemaValidator } from '@modelcontextprotocol/client';

/**
 * Cross-origin rules exist in browsers only. The SDK imports it by the name of its own part.
 * @public
 */
export const CORS_IS_POSSIBLE = false;

/** Takes every value. */
export class DefaultJsonSchemaValidator implements jsonSchemaValidator {
  getValidator<T>(_schema: JsonSchemaType): JsonSchemaValidator<T> {
    // Parse wall: the caller names the type, and the result is handed on as unknown JSON.
    return (input: unknown) => ({ valid: true, data: input as T, errorMessage: undefined });
  }
}
