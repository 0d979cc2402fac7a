import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { parse } from 'yaml';

import { buildInFolders, type BuiltImage } from './dockerfile.ts';
import { environment, packInstrumentation, run } from './examples.ts';

const injection = path.resolve(import.meta.dirname, '../../../deploy/kubernetes/injection');
export const injectionDockerfile = path.join(injection, 'image/Dockerfile');

interface Settings {
  readonly data: Readonly<Record<string, string>>;
}

interface PodPatch {
  readonly spec: {
    readonly template: {
      readonly spec: { readonly initContainers: readonly [{ readonly command: readonly string[] }] };
    };
  };
}

/** The image for injection, built in folders by the steps of its Dockerfile, with the packed build of this checkout. */
export async function buildInjectionImage(scratch: string): Promise<BuiltImage> {
  const context = path.join(scratch, 'context');
  await cp(path.dirname(injectionDockerfile), context, { recursive: true });
  const manifestFile = path.join(context, 'package.json');
  const manifest = JSON.parse(await readFile(manifestFile, 'utf8')) as { dependencies: Record<string, string> };
  manifest.dependencies['@loopwatch/instrumentation-event-loop'] = `file:${await packInstrumentation(scratch)}`;
  await writeFile(manifestFile, JSON.stringify(manifest));
  const env = environment({ npm_config_prefer_offline: 'true' });
  return buildInFolders(injectionDockerfile, context, path.join(scratch, 'image'), env);
}

/** A volume that the init container of the Kustomize component has filled, and what that component sets in containers. */
export class InjectedVolume {
  readonly directory: string;
  readonly settings: Settings['data'];

  private constructor(directory: string, settings: Settings['data']) {
    this.directory = directory;
    this.settings = settings;
  }

  static async fill(image: BuiltImage, directory: string): Promise<InjectedVolume> {
    const { data } = parse(await readFile(path.join(injection, 'component/settings.yaml'), 'utf8')) as Settings;
    const patch = parse(await readFile(path.join(injection, 'component/pod.yaml'), 'utf8')) as PodPatch;
    const [program, ...words] = patch.spec.template.spec.initContainers[0].command;
    await mkdir(directory, { recursive: true });
    const inFolders = words.map((word) =>
      word === data['mountPath'] ? directory : word.replace(/^\/(?=autoinstrumentation)/, `${image.root}/`),
    );
    await run(program!, inFolders);
    return new InjectedVolume(directory, data);
  }

  /** The variables of a container as Kubernetes expands them. */
  variables(pod: Readonly<Record<string, string>>, endpoint: string): Record<string, string> {
    const { nodeOptions = '', mountPath = '', resourceAttributes = '' } = this.settings;
    return {
      NODE_OPTIONS: nodeOptions.replace(mountPath, this.directory),
      LOOPWATCH_RESOURCE_ATTRIBUTES: resourceAttributes.replace(
        /\$\(LOOPWATCH_K8S_(\w+)\)/g,
        (_, name: string) => pod[name] ?? '',
      ),
      LOOPWATCH_OTLP_ENDPOINT: endpoint,
    };
  }
}
