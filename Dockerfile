# The image contains one static program, the certificates of public authorities, and two folders for mounts: /vault and
# /data. It runs as an ordinary user, without a shell and with a read-only root:
#
#   docker build -t obsidian-mcp .
#   docker run --read-only --cap-drop ALL --user "$(id -u):$(id -g)" -p 127.0.0.1:1065:1065 \
#     -v /path/to/vault:/vault -v obsidian-mcp:/data \
#     -v /path/to/token:/run/secrets/token:ro -e OBSIDIAN_MCP_TOKEN_FILE=/run/secrets/token obsidian-mcp
#
# It ships no token and leaves authentication on. Since a container must listen on all its addresses, it does not start
# without a token or an OAuth issuer. See docs/DEPLOY.md.

FROM --platform=$BUILDPLATFORM golang:1.26.8 AS build
# The folder in which the image's root is built. tools/image sets another one, and runs the commands below without a
# container engine.
ARG ROOT=/image
ARG TARGETOS TARGETARCH
# A release gives its tag, its commit and the time of that commit; otherwise .git determines the version.
ARG VERSION COMMIT DATE
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN GOOS=$TARGETOS GOARCH=$TARGETARCH tools/compile "$ROOT/obsidian-mcp" container
RUN install -D -m 0644 /etc/ssl/certs/ca-certificates.crt "$ROOT/etc/ssl/certs/ca-certificates.crt"
# --user may choose any user, so that new files belong to the owner of the vault. Therefore everybody may create folders
# in /data.
RUN mkdir -m 0755 "$ROOT/vault" && mkdir -m 1777 "$ROOT/data"

FROM scratch
LABEL org.opencontainers.image.title="obsidian-mcp" \
      org.opencontainers.image.description="An MCP server for Obsidian vaults" \
      org.opencontainers.image.licenses="MIT"
COPY --from=build /image /
# A config file may be mounted as /config/obsidian-mcp.yaml. These settings are variables, not flags, so that the health
# check uses them too.
ENV HOST=0.0.0.0 \
    PORT=1065 \
    OBSIDIAN_VAULT_PATH=/vault \
    OBSIDIAN_MCP_STATE_DIR=/data/state \
    OBSIDIAN_MCP_CACHE_DIR=/data/cache \
    XDG_CONFIG_HOME=/config
USER 65532:65532
VOLUME /data
EXPOSE 1065
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 CMD ["/obsidian-mcp", "health"]
ENTRYPOINT ["/obsidian-mcp"]
CMD ["http"]
