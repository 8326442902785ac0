/**
 * The image node:26-slim of Docker Hub. A digest always names the same image; `docker buildx imagetools inspect node:26-slim`
 * prints a newer one.
 */
const BASE_IMAGE = "node:26-slim@sha256:c0753125a3789977aefe869cbebccf70e3cfd7ea84ca48547458f02e4f1d7146";

/** Returns a Dockerfile that installs the tarball next to it. */
export function containerFile({ tarball, baseImage = BASE_IMAGE }) {
  if (!/@sha256:[0-9a-f]{64}$/.test(baseImage)) {
    throw new Error(`--base-image must end in @sha256: and 64 hex digits, not "${baseImage}"`);
  }
  return `# docker build --tag stackferry .
FROM ${baseImage}
COPY ${tarball} /tmp/
# The tarball holds its dependencies: nothing is downloaded.
RUN npm install --global --offline --ignore-scripts /tmp/${tarball} && rm /tmp/${tarball}
# The image's own user, not root: archives are created 0600 and belong to it.
USER node
WORKDIR /work
ENTRYPOINT ["stackferry"]
CMD ["--help"]
`;
}
