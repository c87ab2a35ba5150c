// Graphs: explicit nodes, instantiation, launch and update.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Driver/DriverState.h"
#include <algorithm>

namespace ptxsim {
namespace driver {

static CUgraph_st &graphOf(CUgraph graph) {
  if (!state().graphs.count(graph))
    fail(CUDA_ERROR_INVALID_HANDLE, "not a graph");
  return *graph;
}
static CUgraphExec_st &execOf(CUgraphExec exec) {
  if (!state().execs.count(exec))
    fail(CUDA_ERROR_INVALID_HANDLE, "not an executable graph");
  return *exec;
}
static CUgraphNode_st &nodeOf(CUgraphNode node) {
  for (CUgraph_st *graph : state().graphs)
    for (const auto &n : graph->nodes)
      if (n.get() == node)
        return *node;
  fail(CUDA_ERROR_INVALID_HANDLE, "not a node of a graph");
}

static void addNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                    Work work) {
  CUgraph_st &g = graphOf(graph);
  require(out && (!count || dependencies), "expected a place for the node, and dependencies");
  auto node = std::make_unique<CUgraphNode_st>();
  node->graph = &g;
  node->work = std::move(work);
  for (size_t k = 0; k < count; k++) {
    require(nodeOf(dependencies[k]).graph == &g, "the dependency belongs to another graph");
    node->dependencies.push_back(dependencies[k]);
  }
  *out = node.get();
  g.nodes.push_back(std::move(node));
}

/// Topological order; ties in order of creation.
static std::vector<CUgraphNode_st *> inOrder(const CUgraph_st &graph) {
  std::vector<CUgraphNode_st *> order;
  std::unordered_set<CUgraphNode_st *> done;
  while (order.size() < graph.nodes.size()) {
    size_t before = order.size();
    for (const auto &n : graph.nodes) {
      bool ready = !done.count(n.get());
      for (CUgraphNode_st *d : n->dependencies)
        ready &= done.count(d) > 0;
      if (!ready)
        continue;
      order.push_back(n.get());
      done.insert(n.get());
    }
    require(order.size() > before, "the dependencies of the graph form a cycle");
  }
  return order;
}

static std::vector<CUgraphExec_st::Step> stepsOf(const CUgraph_st &graph) {
  std::vector<CUgraphExec_st::Step> steps;
  for (CUgraphNode_st *node : inOrder(graph))
    steps.push_back({node, node->work});
  return steps;
}

/// Stops behind a kernel that failed.
static void runSteps(const std::vector<CUgraphExec_st::Step> &steps) {
  for (const CUgraphExec_st::Step &step : steps)
    if (!currentContext()->sticky)
      step.work.run();
}

static Work kernelWork(const CUDA_KERNEL_NODE_PARAMS &p) {
  CUfunc_st &f = functionOf(p.func ? p.func : reinterpret_cast<CUfunction>(p.kern));
  auto launch = std::make_shared<KernelLaunch>();
  launch->function = &f;
  launch->config = {{p.gridDimX, p.gridDimY, p.gridDimZ},
                    {p.blockDimX, p.blockDimY, p.blockDimZ},
                    p.sharedMemBytes};
  launch->arguments = copyArguments(f, p.kernelParams, p.extra);
  checkLaunch(*launch);
  Work work;
  work.type = Work::Kernel;
  work.kernel = launch;
  work.run = [launch] { runKernel(*launch); };
  return work;
}
static Work plainWork(Work::Type type, std::function<void()> run) {
  Work work;
  work.type = type;
  work.run = std::move(run);
  return work;
}

static CUgraphExec_st::Step &stepOf(CUgraphExec exec, CUgraphNode node, Work::Type type) {
  for (CUgraphExec_st::Step &step : execOf(exec).steps)
    if (step.node == node && step.work.type == type)
      return step;
  fail(CUDA_ERROR_INVALID_VALUE, "the executable graph has no such node");
}

static void instantiate(CUgraphExec *exec, CUgraph graph) {
  require(exec, "expected a place for the executable graph");
  forbidDuringCapture("cuGraphInstantiate");
  *exec = new CUgraphExec_st{stepsOf(graphOf(graph))};
  state().execs.insert(*exec);
}

} // namespace driver
} // namespace ptxsim

using namespace ptxsim::driver;

PTXSIM_EXPORT CUresult cuGraphCreate(CUgraph *graph, unsigned) {
  return enter(Needs::Driver, [&] {
    require(graph, "expected a place for the graph");
    state().graphs.insert(*graph = new CUgraph_st);
  });
}
PTXSIM_EXPORT CUresult cuGraphDestroy(CUgraph graph) {
  return enter(Needs::Driver, [&] {
    graphOf(graph);
    state().graphs.erase(graph);
    delete graph;
  });
}
PTXSIM_EXPORT CUresult cuGraphClone(CUgraph *clone, CUgraph graph) {
  return enter(Needs::Driver, [&] {
    auto copy = std::make_unique<CUgraph_st>();
    std::map<CUgraphNode_st *, CUgraphNode_st *> map;
    for (CUgraphNode_st *node : inOrder(graphOf(graph))) {
      auto n = std::make_unique<CUgraphNode_st>();
      n->graph = copy.get();
      n->work = node->work;
      for (CUgraphNode_st *d : node->dependencies)
        n->dependencies.push_back(map[d]);
      map[node] = n.get();
      copy->nodes.push_back(std::move(n));
    }
    state().graphs.insert(*clone = copy.release());
  });
}

// --- Nodes --------------------------------------------------------------------------------------

PTXSIM_EXPORT CUresult cuGraphAddKernelNode_v2(CUgraphNode *node, CUgraph graph,
                                               const CUgraphNode *dependencies, size_t count,
                                               const CUDA_KERNEL_NODE_PARAMS *parameters) {
  return enter([&] {
    require(parameters, "expected the parameters of the node");
    addNode(node, graph, dependencies, count, kernelWork(*parameters));
  });
}
PTXSIM_EXPORT CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph,
                                            const CUgraphNode *dependencies, size_t count,
                                            const CUDA_MEMCPY3D *copy, CUcontext) {
  return enter([&] {
    require(copy, "expected the parameters of the node");
    CUDA_MEMCPY3D c = *copy;
    addNode(node, graph, dependencies, count, plainWork(Work::Copy, [=] { copyRows(c); }));
  });
}
PTXSIM_EXPORT CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph,
                                            const CUgraphNode *dependencies, size_t count,
                                            const CUDA_MEMSET_NODE_PARAMS *fill, CUcontext) {
  return enter([&] {
    require(fill && (fill->elementSize == 1 || fill->elementSize == 2 || fill->elementSize == 4),
            "expected an element size of 1, 2 or 4");
    CUDA_MEMSET_NODE_PARAMS f = *fill;
    addNode(node, graph, dependencies, count, plainWork(Work::Fill, [=] { fillRows(f); }));
  });
}
PTXSIM_EXPORT CUresult cuGraphAddHostNode(CUgraphNode *node, CUgraph graph,
                                          const CUgraphNode *dependencies, size_t count,
                                          const CUDA_HOST_NODE_PARAMS *host) {
  return enter([&] {
    require(host && host->fn, "expected a function");
    CUDA_HOST_NODE_PARAMS h = *host;
    addNode(node, graph, dependencies, count, plainWork(Work::Host, [=] { h.fn(h.userData); }));
  });
}
PTXSIM_EXPORT CUresult cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph,
                                           const CUgraphNode *dependencies, size_t count) {
  return enter([&] { addNode(node, graph, dependencies, count, plainWork(Work::Empty, [] {})); });
}
PTXSIM_EXPORT CUresult cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph,
                                                const CUgraphNode *dependencies, size_t count,
                                                CUgraph child) {
  return enter([&] {
    auto steps = stepsOf(graphOf(child));
    addNode(node, graph, dependencies, count, plainWork(Work::Graph, [steps] { runSteps(steps); }));
  });
}
PTXSIM_EXPORT CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from,
                                              const CUgraphNode *to, size_t count) {
  return enter([&] {
    for (size_t k = 0; k < count; k++) {
      require(nodeOf(from[k]).graph == &graphOf(graph) && nodeOf(to[k]).graph == graph,
              "the node belongs to another graph");
      to[k]->dependencies.push_back(from[k]);
    }
  });
}
PTXSIM_EXPORT CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from,
                                                 const CUgraphNode *to, const void *,
                                                 size_t count) {
  return cuGraphAddDependencies(graph, from, to, count);
}
PTXSIM_EXPORT CUresult cuGraphDestroyNode(CUgraphNode node) {
  return enter([&] {
    CUgraph_st &g = *nodeOf(node).graph;
    for (const auto &other : g.nodes) {
      auto &d = other->dependencies;
      d.erase(std::remove(d.begin(), d.end(), node), d.end());
    }
    g.nodes.erase(std::find_if(g.nodes.begin(), g.nodes.end(),
                               [&](const auto &n) { return n.get() == node; }));
  });
}

/// Writes at most *count nodes, and the total number to *count.
static void listNodes(const std::vector<CUgraphNode_st *> &all, CUgraphNode *nodes, size_t *count) {
  require(count, "expected a place for the number of nodes");
  for (size_t k = 0; nodes && k < std::min(*count, all.size()); k++)
    nodes[k] = all[k];
  *count = all.size();
}
PTXSIM_EXPORT CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count) {
  return enter(Needs::Driver, [&] { listNodes(inOrder(graphOf(graph)), nodes, count); });
}
PTXSIM_EXPORT CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes, size_t *count) {
  return enter(Needs::Driver, [&] {
    std::vector<CUgraphNode_st *> roots;
    for (CUgraphNode_st *node : inOrder(graphOf(graph)))
      if (node->dependencies.empty())
        roots.push_back(node);
    listNodes(roots, nodes, count);
  });
}
PTXSIM_EXPORT CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *nodes,
                                                  size_t *count) {
  return enter(Needs::Driver, [&] { listNodes(nodeOf(node).dependencies, nodes, count); });
}
PTXSIM_EXPORT CUresult cuGraphNodeGetType(CUgraphNode node, int *type) {
  return enter(Needs::Driver, [&] { *type = nodeOf(node).work.type; });
}
PTXSIM_EXPORT CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node,
                                                     const CUDA_KERNEL_NODE_PARAMS *parameters) {
  return enter([&] {
    require(parameters && nodeOf(node).work.type == Work::Kernel, "expected a node of a kernel");
    node->work = kernelWork(*parameters);
  });
}

// --- Executable graphs --------------------------------------------------------------------------

PTXSIM_EXPORT CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph,
                                                   unsigned long long) {
  return enter([&] { instantiate(exec, graph); });
}
/// Struct of parameters: flags, a stream for an upload, a node for errors, and the result.
PTXSIM_EXPORT CUresult cuGraphInstantiateWithParams(CUgraphExec *exec, CUgraph graph, void *p) {
  return enter([&] {
    instantiate(exec, graph);
    struct Parameters {
      uint64_t flags;
      CUstream upload;
      CUgraphNode errorNode;
      int result;
    };
    if (p) {
      static_cast<Parameters *>(p)->errorNode = nullptr;
      static_cast<Parameters *>(p)->result = 0;
    }
  });
}
PTXSIM_EXPORT CUresult cuGraphUpload(CUgraphExec exec, CUstream stream) {
  return enter([&] {
    execOf(exec);
    streamOf(stream);
  });
}
PTXSIM_EXPORT CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  return enter([&] {
    auto steps = execOf(exec).steps;
    submit(stream, Work::Graph, [steps] { runSteps(steps); });
  });
}
PTXSIM_EXPORT CUresult cuGraphExecDestroy(CUgraphExec exec) {
  return enter(Needs::Driver, [&] {
    execOf(exec);
    state().execs.erase(exec);
    delete exec;
  });
}
PTXSIM_EXPORT CUresult cuGraphExecKernelNodeSetParams_v2(
    CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *parameters) {
  return enter([&] {
    require(parameters, "expected the parameters of the node");
    stepOf(exec, node, Work::Kernel).work = kernelWork(*parameters);
  });
}
PTXSIM_EXPORT CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                      const CUDA_MEMCPY3D *copy, CUcontext) {
  return enter([&] {
    require(copy, "expected the parameters of the node");
    CUDA_MEMCPY3D c = *copy;
    stepOf(exec, node, Work::Copy).work.run = [=] { copyRows(c); };
  });
}
PTXSIM_EXPORT CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                      const CUDA_MEMSET_NODE_PARAMS *fill,
                                                      CUcontext) {
  return enter([&] {
    require(fill, "expected the parameters of the node");
    CUDA_MEMSET_NODE_PARAMS f = *fill;
    stepOf(exec, node, Work::Fill).work.run = [=] { fillRows(f); };
  });
}
/// Replaces the work of all nodes by that of a graph with the same shape. `result`: a code and two
/// nodes.
PTXSIM_EXPORT CUresult cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph, void *result) {
  return enter([&] {
    auto steps = stepsOf(graphOf(graph));
    auto &old = execOf(exec).steps;
    bool same = steps.size() == old.size();
    for (size_t k = 0; same && k < steps.size(); k++)
      same = steps[k].work.type == old[k].work.type;
    struct Result {
      int code;
      CUgraphNode node, from;
    };
    if (result)
      *static_cast<Result *>(result) = {same ? 0 : 2, nullptr, nullptr};
    if (!same)
      fail(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, "the graph has another shape");
    for (size_t k = 0; k < steps.size(); k++)
      old[k].work = steps[k].work; // nodes remain those of the first graph
  });
}
