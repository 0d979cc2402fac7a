import { resourceFromAttributes } from '@opentelemetry/resources';
import { TracerProvider } from '@opentelemetry/sdk-trace';
import { describe, expect, test } from '@jest/globals';
import { resourceFromEnvironment, resourceOf } from '../../../src/export/resource.js';

describe('the resource of a provider', () => {
  test('is the one that it was created with', () => {
    const provider = new TracerProvider({ resource: resourceFromAttributes({ 'service.name': 'checkout', n: 1 }) });
    expect(resourceOf(provider)).toMatchObject({ 'service.name': 'checkout', n: 1 });
  });

  test('is also found under the property name of SDK 2.x', () => {
    const provider = { getTracer: () => undefined, resource: { attributes: { 'service.name': 'old' } } };
    expect(resourceOf(provider as never)).toEqual({ 'service.name': 'old' });
  });

  test('is empty where the provider has none', () => {
    expect(resourceOf({ getTracer: () => undefined } as never)).toEqual({});
  });

  test('has what is known while detection is still pending', () => {
    const provider = new TracerProvider({
      resource: resourceFromAttributes({ 'service.name': 'checkout', 'host.id': new Promise<string>(() => undefined) }),
    });
    const attributes = resourceOf(provider);
    expect(attributes).toMatchObject({ 'service.name': 'checkout' });
    expect(attributes).not.toHaveProperty('host.id');
  });
});

describe('the resource of the environment', () => {
  test.each([
    [{}, { 'service.name': 'unknown_service:node' }],
    [{ OTEL_SERVICE_NAME: 'checkout' }, { 'service.name': 'checkout' }],
    [{ OTEL_SERVICE_NAME: '  ' }, { 'service.name': 'unknown_service:node' }],
    [
      { OTEL_RESOURCE_ATTRIBUTES: 'service.name=a,deployment.environment.name = prod ' },
      { 'service.name': 'a', 'deployment.environment.name': 'prod' },
    ],
    [{ OTEL_RESOURCE_ATTRIBUTES: 'service.name=a', OTEL_SERVICE_NAME: 'b' }, { 'service.name': 'b' }],
    [{ OTEL_RESOURCE_ATTRIBUTES: 'k=a%2Cb%3Dc' }, { 'service.name': 'unknown_service:node', k: 'a,b=c' }],
    [{ OTEL_RESOURCE_ATTRIBUTES: 'k=%E0%A4%A,,=x,y' }, { 'service.name': 'unknown_service:node', k: '%E0%A4%A' }],
  ])('is read from %j', (env, attributes) => {
    expect(resourceFromEnvironment(env)).toEqual(attributes);
  });
});
