/** Converts a route's template to OpenAPI's notation: `/artists/:id` becomes `/artists/{id}`. */
export const openApiPath = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}');
