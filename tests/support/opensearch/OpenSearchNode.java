import org.codelibs.opensearch.runner.OpenSearchRunner;

/** One node of a cluster in a process of its own: NAME FOLDER HTTP_PORT TRANSPORT_PORT SEED,SEED,... NAME,NAME,... PLUGIN */
public class OpenSearchNode {
    public static void main(String[] arguments) throws Exception {
        OpenSearchRunner runner = new OpenSearchRunner();
        runner.onBuild((number, settings) -> {
            settings.put("cluster.name", "focused-tests");
            settings.put("node.name", arguments[0]);
            settings.put("network.host", "127.0.0.1");
            settings.put("http.port", arguments[2]);
            settings.put("transport.port", arguments[3]);
            settings.putList("discovery.seed_hosts", arguments[4].split(","));
            settings.putList("cluster.initial_cluster_manager_nodes", arguments[5].split(","));
            settings.put("cluster.routing.allocation.disk.threshold_enabled", "false");
        });
        runner.build(OpenSearchRunner.newConfigs().pluginTypes(arguments[6]).basePath(arguments[1]).numOfNode(1));
        Thread.currentThread().join();
    }
}
